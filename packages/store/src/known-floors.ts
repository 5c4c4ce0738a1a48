import { BOTTOM, type ClaimFacts, type Floor, floorsHold, nextFloor } from './floors.ts';

/**
 * A due time that was written before a look may be committed after it. The floor of due times stays behind by more than a settlement takes;
 * whatever is later still is found by the full scan.
 */
const DUE_MARGIN_MS = 60_000;

/** Where one claim begins: the floors as they were then. */
export interface ClaimStart {
  ask(contract: number): { readonly contract: number; readonly floor: Floor; readonly dueFloorMs: number | null };
  /** Takes in what the claim has seen. When the floors were dropped while it was under way, what it learned is dropped with them. */
  learn(asks: readonly number[], facts: ClaimFacts, timed: boolean): void;
}

/** What one claimer knows of the floors of its contracts. */
export class KnownFloors {
  #floors = new Map<number, Floor>();
  #dueFloors = new Map<number, number>();
  #server: string | null = null;

  /** The next claim looks at everything. */
  forget(): void {
    this.#floors = new Map();
    this.#dueFloors = new Map();
  }

  start(): ClaimStart {
    const [floors, dueFloors] = [this.#floors, this.#dueFloors];
    return {
      ask: (contract) => ({
        contract,
        floor: floors.get(contract) ?? BOTTOM,
        dueFloorMs: dueFloors.get(contract) ?? null,
      }),
      learn: (asks, facts, timed) => {
        for (const contract of asks) floors.set(contract, this.#next(floors.get(contract) ?? BOTTOM, contract, facts));
        if (timed && !facts.dueLeft)
          for (const contract of asks) dueFloors.set(contract, facts.momentMs - DUE_MARGIN_MS);
        this.#server = facts.server;
      },
    };
  }

  #next(floor: Floor, contract: number, facts: ClaimFacts): Floor {
    return floor === BOTTOM || floorsHold(floor, this.#server, facts) ? nextFloor(floor, contract, facts) : BOTTOM;
  }
}

import { type Executor, type Store, wantHints } from '@waybill/store';
import { HintWish } from './hint-wish.ts';
import type { Session } from './session.ts';

export interface HintRequestDeps {
  readonly store: Store;
  /** The heartbeat's connection. */
  readonly executor: Executor;
  readonly sessions: { readonly current: Pick<Session, 'owner' | 'wantsHints'> | null };
  /** Tells the store something that matters only a little. */
  readonly tell: (operation: string, telling: Promise<void>) => void;
}

/** Tells the store whether this process wants hints, whenever that changes. */
export class HintRequests {
  readonly #wish = new HintWish();
  readonly #deps: HintRequestDeps;

  constructor(deps: HintRequestDeps) {
    this.#deps = deps;
  }

  claimed(records: number, now: number): void {
    this.#wish.claimed(records, now);
    this.#tell();
  }

  hears(yes: boolean): void {
    this.#wish.hears(yes);
    this.#tell();
  }

  /** Whether a commit tells this process of its messages, as far as it knows: it hears them, and has asked for them. */
  get arrive(): boolean {
    return this.#wish.wanted && this.#deps.sessions.current?.wantsHints === true;
  }

  #tell(): void {
    const { store, executor, sessions, tell } = this.#deps;
    const session = sessions.current;
    const { wanted } = this.#wish;
    if (session === null || session.wantsHints === wanted) return;
    session.wantsHints = wanted;
    const telling = wantHints(store, { id: session.owner, wanted }, executor).catch((error: unknown) => {
      // It is told again after the next claim.
      session.wantsHints = !wanted;
      throw error;
    });
    tell('hints', telling);
  }
}

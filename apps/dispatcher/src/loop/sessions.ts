import type { HeldRun } from './held-run.ts';
import type { HeldRuns } from './held-runs.ts';
import type { Session } from './session.ts';
import type { Settler } from './settler.ts';

/** The session that claims, and earlier ones that still hold runs. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #held: HeldRuns;
  readonly #onOver: (session: Session) => void;

  /** `onOver` is told of a session that was lost and has nothing left in hand. */
  constructor(held: HeldRuns, onOver: (session: Session) => void) {
    this.#held = held;
    this.#onOver = onOver;
  }

  get current(): Session | null {
    return this.all().find((session) => !session.isLost) ?? null;
  }

  all(): readonly Session[] {
    return [...this.#sessions.values()];
  }

  add(session: Session): void {
    this.#sessions.set(session.owner, session);
  }

  /** The session under which a run was claimed. */
  of(run: HeldRun): Session {
    const session = this.#sessions.get(run.owner);
    // A session is kept for as long as one of its runs is held.
    if (session === undefined) throw new TypeError('a run outlived its session');
    return session;
  }

  settlerOf(run: HeldRun): Settler {
    return this.of(run).settler;
  }

  /** Forgets sessions that have ended. To be called when one is lost and when a run is over. */
  prune(): void {
    for (const session of this.all()) {
      if (!session.isLost || this.#held.ofOwner(session.owner).length > 0) continue;
      this.#sessions.delete(session.owner);
      this.#onOver(session);
    }
  }
}

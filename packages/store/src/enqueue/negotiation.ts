import { writableVersions } from '@waybill/contracts';

import type { Executor } from '../executor.ts';
import type { TypeStanding } from '../rollout/standing.ts';
import { UnwritableVersionError } from '../rollout/unwritable-error.ts';
import { decideVersion, type WriteDecision } from '../rollout/written-version.ts';
import { readStandings } from '../statements/version-standing.ts';
import type { Draft } from './prepare.ts';

/** How long an answer is good for. The statement that writes looks at the registry itself, so an old answer costs a younger version, never a stranded record. */
const ANSWER_MS = 5_000;

interface Answer {
  readonly standing: TypeStanding;
  readonly askedAt: number;
}

/**
 * Settles with the registry which version of each message is written. Nothing is asked while the newest versions are welcome: the statement that writes
 * them says so. Where one is not, the store is asked, and asked again every few seconds.
 */
export class Negotiation {
  readonly #schema: string;
  readonly #answers = new Map<string, Answer>();
  #time = 0;

  constructor(schema: string) {
    this.#schema = schema;
  }

  /** The database's clock, in milliseconds: ages are counted on it alone. Each write brings it along. */
  sawTime(at: number): void {
    this.#time = Math.max(this.#time, at);
  }

  /** Whether an answer that matters has grown old. */
  isStale(drafts: readonly Draft[]): boolean {
    return drafts.some(({ message }) => {
      const answer = this.#answers.get(message.type);
      return answer !== undefined && this.#time - answer.askedAt >= ANSWER_MS;
    });
  }

  /**
   * Whether one of the messages would be refused by what is known. Nobody knows how old that is: time is brought by writes, and where all is refused
   * nothing is written. So a refusal rests on an answer of its own.
   */
  refuses(drafts: readonly Draft[]): boolean {
    return drafts.some((draft) => 'refused' in this.#decide(draft));
  }

  /** Asks the store, over the caller's own connection. */
  async ask(executor: Executor, drafts: readonly Draft[]): Promise<void> {
    const messages = new Map(drafts.map(({ message }) => [message.type, message]));
    const versions = [...messages.values()].flatMap((message) =>
      writableVersions(message).map((version) => ({ type: message.type, version })),
    );
    const { standings, at } = await readStandings(executor, this.#schema, versions);
    for (const [type, message] of messages) {
      const standing = standings.get(type);
      if (standing === undefined || isWelcome(standing, message.newest)) this.#answers.delete(type);
      else this.#answers.set(type, { standing, askedAt: at });
    }
  }

  /**
   * The version of each message, in their order, by what is known.
   * @throws UnwritableVersionError for the first message that may not be written.
   */
  decide(drafts: readonly Draft[]): readonly number[] {
    return drafts.map((draft) => {
      const decision = this.#decide(draft);
      if ('version' in decision) return decision.version;
      const { message, whenUnreadable } = draft;
      throw new UnwritableVersionError(
        { type: message.type, version: message.newest },
        whenUnreadable,
        decision.refused,
      );
    });
  }

  #decide({ message, key, whenUnreadable }: Draft): WriteDecision {
    return decideVersion(message, key, whenUnreadable, this.#answers.get(message.type)?.standing);
  }
}

function isWelcome({ pin, versions }: TypeStanding, newest: number): boolean {
  const standing = versions.get(newest);
  return pin === null && standing?.retired === false && standing.blockers.length === 0;
}

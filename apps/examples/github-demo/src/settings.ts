import { StoryError } from './story/story-error.ts';

/** What can be changed about a telling of the story. */
export interface Settings {
  /** A server to use in the place of the embedded one; `DATABASE_URL`. */
  readonly databaseUrl: string | undefined;
  /** How often every webhook is used; 24 times `WAYBILL_DEMO_SCALE`, at least once. */
  readonly rounds: number;
  /** What all chance is derived from; `WAYBILL_DEMO_SEED`. */
  readonly seed: number;
  /** Colour and a live display are wanted where there is a terminal; `NO_COLOR` turns colour off. */
  readonly colour: boolean;
}

/** Makes about 3,200 messages of the 130 webhooks. */
const ROUNDS = 24;

/**
 * Reads the settings from environment variables.
 *
 * @throws StoryError `DEMO_SETTING_INVALID`.
 */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const scale = positiveNumber('WAYBILL_DEMO_SCALE', environment['WAYBILL_DEMO_SCALE'], 1);
  return {
    databaseUrl: environment['DATABASE_URL'] === '' ? undefined : environment['DATABASE_URL'],
    rounds: Math.max(1, Math.round(ROUNDS * scale)),
    seed: positiveNumber('WAYBILL_DEMO_SEED', environment['WAYBILL_DEMO_SEED'], 1),
    colour: (environment['NO_COLOR'] ?? '') === '',
  };
}

function positiveNumber(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new StoryError('DEMO_SETTING_INVALID', `${name} must be a number above 0, got ${JSON.stringify(text)}`);
}

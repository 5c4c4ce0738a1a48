import { inspect } from 'node:util';
import { TransportError } from './transport-error.ts';

/** Collects what is wrong with a set of options, so that all of it is reported at once. */
export interface OptionCheck {
  /** Notes a problem unless `holds`. `got` is shown, so never pass a secret. */
  expect(holds: boolean, option: string, expected: string, got: unknown): void;
  /** The destination's name, or the fallback where it is absent. */
  name(value: string | undefined, fallback: string): string;
  /** The value, or the fallback where it is absent; notes a problem unless it is an integer within the range. */
  integer(option: string, value: number | undefined, range: IntegerRange): number;
  /** @throws TransportError `TRN_OPTIONS_INVALID` naming every problem noted so far. */
  done(): void;
}

/** The integers that an option takes, both ends included, and the one it has by default. */
export interface IntegerRange {
  readonly min: number;
  readonly max: number;
  readonly fallback: number;
}

/** Starts the check of the options of one kind of transport; options outside `known` are reported as misspelt. */
export function checkOptions(transport: string, options: object, known: readonly string[]): OptionCheck {
  const problems: string[] = [];
  const check: OptionCheck = {
    expect(holds, option, expected, got) {
      if (!holds) problems.push(`${option}: expected ${expected}, got ${show(got)}`);
    },
    name(given, fallback) {
      const value = given ?? fallback;
      check.expect(typeof value === 'string' && value !== '', 'name', 'a text that is not empty', value);
      return value;
    },
    integer(option, value, { min, max, fallback }) {
      if (value === undefined) return fallback;
      const holds = Number.isSafeInteger(value) && value >= min && value <= max;
      check.expect(holds, option, `an integer from ${min} to ${max}`, value);
      return value;
    },
    done() {
      if (problems.length > 0)
        throw new TransportError(
          'TRN_OPTIONS_INVALID',
          problems.map((problem) => `${transport}: ${problem}`),
        );
    },
  };
  for (const option of Object.keys(options)) {
    if (!known.includes(option)) problems.push(`${option}: expected one of ${known.join(', ')}`);
  }
  return check;
}

/** A short rendering for an error message. */
function show(value: unknown): string {
  return inspect(value, { depth: 0, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 80, maxArrayLength: 5 });
}

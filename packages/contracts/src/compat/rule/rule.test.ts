import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BREAKING, contract, editedAt, KEEPING } from '../../../test/contract-edits.ts';
import { compareSchemas } from '../compare.ts';

/** A fixed seed keeps the run the same everywhere; the ranges were searched with many others. */
const seed = Number(process.env['WAYBILL_ATTACK_SEED'] ?? 20_240_601);
/** A longer search sets this; the one of every day keeps the run short. */
const numRuns = Number(process.env['WAYBILL_ATTACK_RUNS'] ?? 12);
const timeoutMs = 600_000;

describe.each([
  ['keeps the version does so', KEEPING, 'same-version'],
  ['needs a new version does so', BREAKING, 'new-version'],
] as const)('V08: an edit that %s wherever it is made', (_title, edits, expected) => {
  test.each(Object.entries(edits))(
    '%s',
    (_what, edit) => {
      fc.assert(
        fc.property(contract, fc.nat(20), (before, place) => {
          const after = editedAt(before, edit, place);
          fc.pre(after !== null);
          const { verdict, rule, path } = compareSchemas(before, after);
          expect({ verdict, rule, path }).toMatchObject({ verdict: expected });
        }),
        { numRuns, seed },
      );
    },
    timeoutMs,
  );
});

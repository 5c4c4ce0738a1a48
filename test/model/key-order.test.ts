/** Every interleaving of the model of one key, and every safeguard taken away in turn. docs/model.md says what it shows. */
import { withProgram } from '@waybill/local-servers';
import { describe, expect, test } from 'vitest';

import { checkModel, type Defines, readReport } from './check-model.ts';

/** A search takes seconds on an idle machine, and its C program must be compiled. */
const SEARCH_TIMEOUT_MS = 300_000;

const EVERYDAY: Readonly<Record<string, Defines>> = {
  'a writer of each isolation, two claimers, a crash, a lease that ends early': { WRITERS: 1, SNAPSHOT_WRITERS: 1 },
  'three writers, two claimers': { WRITERS: 2, SNAPSHOT_WRITERS: 1, CRASHES: 0, EXPIRIES: 0 },
  'three writers, one claimer that crashes and loses its lease': { WRITERS: 2, SNAPSHOT_WRITERS: 1, CLAIMERS: 1 },
};

/** Minutes: only where they are asked for. */
const FULL: Readonly<Record<string, Defines>> = {
  'three writers, two of them with old snapshots': { WRITERS: 1, SNAPSHOT_WRITERS: 2, CRASHES: 0, EXPIRIES: 0 },
  'three writers, a lease that ends early': { WRITERS: 2, SNAPSHOT_WRITERS: 1, CRASHES: 0 },
};

const CALM: Defines = { CRASHES: 0, EXPIRIES: 0 };
const ONE_OF_EACH: Defines = { ...CALM, WRITERS: 1, SNAPSHOT_WRITERS: 1 };
/** What goes wrong without each safeguard, in the smallest model that shows it. */
const MUTANTS: readonly (readonly [what: string, found: RegExp, defines: Defines])[] = [
  [
    'a settlement that asks for no fence',
    /holder/,
    { CRASHES: 0, WRITERS: 2, SNAPSHOT_WRITERS: 0, MUTANT_NO_FENCE: 1 },
  ],
  [
    'no tombstone for a successor that is busy',
    /elder_/,
    { ...CALM, WRITERS: 2, SNAPSHOT_WRITERS: 1, MUTANT_NO_TOMBSTONE_ON_BUSY: 1 },
  ],
  ['no second look under the guard', /elder_/, { ...ONE_OF_EACH, MUTANT_NO_SECOND_LOOK: 1 }],
  ['a guard trusted in an old snapshot', /elder_/, { ...ONE_OF_EACH, MUTANT_GUARD_IN_OLD_SNAPSHOT: 1 }],
  [
    'a comparison by the snapshot alone: no version, no lock on the elder',
    /elder_/,
    { ...ONE_OF_EACH, MUTANT_NO_VERSION_CHECK: 1, MUTANT_PUT_BACK_UNLOCKED: 1, MUTANT_CHECKED_OF_SNAPSHOT: 1 },
  ],
];

withProgram({ test }, 'spin', process.env, (spin) => {
  const configurations = process.env['WAYBILL_MODEL'] === 'full' ? { ...EVERYDAY, ...FULL } : EVERYDAY;

  describe('I01 I03 Q10: no interleaving loses a record, breaks the order or gives a key two owners', () => {
    test.each(Object.entries(configurations))('I01 I03 Q10: %s', { timeout: SEARCH_TIMEOUT_MS }, async (_, defines) => {
      const verdict = await checkModel(spin, defines);
      expect(verdict, verdict.report).toMatchObject({ errors: 0, exhaustive: true });
      expect(verdict.states).toBeGreaterThan(100_000);
    });
  });

  describe('I01 I03 Q10: a safeguard less, and the model finds it', () => {
    test.each(MUTANTS)('I01 I03 Q10: %s', { timeout: SEARCH_TIMEOUT_MS }, async (_, found, defines) => {
      const { errors, report } = await checkModel(spin, defines);
      expect(errors, report).toBe(1);
      expect(/assertion violated (.*) \(at/.exec(report)?.[1], report).toMatch(found);
    });
  });
});

test('I03: a search that was cut short is no proof', () => {
  const report =
    'error: max search depth too small\nState-vector 180 byte, depth reached 9, errors: 0\n  7 states, stored';
  expect(readReport(report)).toMatchObject({ errors: 0, exhaustive: false, states: 7 });
  expect(() => readReport('Killed')).toThrow(/did not end/);
});

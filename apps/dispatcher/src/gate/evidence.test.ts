import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readEvidence } from './evidence.ts';
import { CODE_ITEMS } from './items.ts';

// Every run of the conformance has to prove what is on this list.
const reached = JSON.parse(
  readFileSync(new URL('../../../../test/conformance/reached.json', import.meta.url), 'utf8'),
) as readonly string[];
const shipped = await readEvidence();
const shown = Object.entries(shipped?.ids ?? {}).flatMap(([id, passing]) => (passing > 0 ? [id] : []));

test('Q21: the evidence that this package ships claims nothing that is not reached, so it cannot be out of date', () => {
  expect(shown.filter((id) => !reached.includes(id))).toEqual([]);
});

test('Q21: it shows what the items about code ask for, so that pull workers are the default', () => {
  const asked = Object.values(CODE_ITEMS).flatMap(({ ids }) => [...ids]);
  expect(asked.filter((id) => !shown.includes(id))).toEqual([]);
});

test('Q21: without a file there is no evidence', async () => {
  expect(await readEvidence(new URL('./no-such-evidence.json', import.meta.url))).toBeNull();
});

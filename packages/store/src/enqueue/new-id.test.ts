import { expect, test } from 'vitest';

import { newMessageId } from './new-id.ts';

test('S01: the ids of a process grow, within one millisecond too', () => {
  const ids = Array.from({ length: 10_000 }, newMessageId);
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
});

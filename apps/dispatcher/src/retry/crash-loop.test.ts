import { expect, test } from 'vitest';

import { crashVerdict } from './crash-loop.ts';

test.each([
  [0, null],
  [1, null],
  [3, null],
  [4, 'dead-letter'],
  [9, 'dead-letter'],
])('F006: after %i crashes, the first in company, the verdict is %s', (crashes, then) => {
  expect(crashVerdict({ crashes, position: '7' })?.then ?? null).toBe(then);
});

test('F006: the verdict says what happened', () => {
  expect(crashVerdict({ crashes: 4, position: '7' })).toEqual({
    then: 'dead-letter',
    position: '7',
    reason: 'crash-loop',
    error: 'the process that handled this record died 4 times, the last 3 times with nothing else in hand',
  });
});

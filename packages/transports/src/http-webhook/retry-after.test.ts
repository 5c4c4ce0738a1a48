import { describe, expect, test } from 'vitest';
import { parseRetryAfter, RETRY_AFTER_MAX_MS } from './retry-after.ts';

const NOW = Date.parse('Sun, 06 Nov 1994 08:49:07 GMT');

describe('parseRetryAfter', () => {
  test.each([
    ['0', 0],
    ['120', 120_000],
    [' 120 ', 120_000],
    ['-5', 0],
    ['86400', RETRY_AFTER_MAX_MS],
    ['86401', RETRY_AFTER_MAX_MS],
    ['9'.repeat(400), RETRY_AFTER_MAX_MS],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 30_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 30_000],
    ['Sun Nov  6 08:49:37 1994', 30_000],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
    ['Sun, 06 Nov 2094 08:00:00 GMT', RETRY_AFTER_MAX_MS],
  ])('W19, T03: %s is a wait of %d ms', (value, ms) => {
    expect(parseRetryAfter(value, NOW)).toBe(ms);
  });

  test.each([
    undefined,
    '',
    '1.5',
    'soon',
    '1e9',
    '0x10',
    '1994-11-06',
    'Sun, 99 Nov 1994 08:49:37 GMT',
    '10, 20',
    'Infinity',
  ])('W19, T03: %s asks for nothing', (value) => {
    expect(parseRetryAfter(value, NOW)).toBeUndefined();
  });
});

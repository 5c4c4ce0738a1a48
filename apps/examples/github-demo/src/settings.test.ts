import { describe, expect, test } from 'vitest';
import { readSettings } from './settings.ts';

describe('D06: the settings of the demo', () => {
  test('without any, the whole story on an embedded PostgreSQL, in colour', () => {
    expect(readSettings({})).toEqual({ databaseUrl: undefined, rounds: 24, seed: 1, colour: true });
  });

  test('a scale changes how often the webhooks are used, but never to nothing', () => {
    expect(readSettings({ WAYBILL_DEMO_SCALE: '0.5' }).rounds).toBe(12);
    expect(readSettings({ WAYBILL_DEMO_SCALE: '0.001' }).rounds).toBe(1);
  });

  test('NO_COLOR counts when it is not empty, DATABASE_URL too', () => {
    expect(readSettings({ NO_COLOR: '1' }).colour).toBe(false);
    expect(readSettings({ NO_COLOR: '' }).colour).toBe(true);
    expect(readSettings({ DATABASE_URL: 'postgres://localhost/x' }).databaseUrl).toBe('postgres://localhost/x');
    expect(readSettings({ DATABASE_URL: '' }).databaseUrl).toBeUndefined();
  });

  test.each(['0', '-1', 'much', 'NaN'])('the scale %s is refused by name', (scale) => {
    expect(() => readSettings({ WAYBILL_DEMO_SCALE: scale })).toThrow(/WAYBILL_DEMO_SCALE must be a number above 0/);
  });
});

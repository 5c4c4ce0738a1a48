import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { readArguments } from './arguments.ts';
import { SCENARIO_NAMES } from './scenario/scenario.ts';

test('everything runs in full size unless told otherwise', () => {
  expect(readArguments([])).toEqual({ size: 'full', scenarios: SCENARIO_NAMES, json: null, results: null });
});

test('scenarios run in their own order, whatever the order of the arguments', () => {
  expect(readArguments(['hot', '--quick', 'drain', '--json', 'out.json'])).toEqual({
    size: 'quick',
    scenarios: ['drain', 'hot'],
    json: 'out.json',
    results: null,
  });
});

test('an unknown scenario or option is refused', () => {
  expect(() => readArguments(['drian'])).toThrow(CommanderError);
  expect(() => readArguments(['--slow'])).toThrow(CommanderError);
});

import { expect, test } from 'vitest';
import { parseArguments } from './arguments.ts';

test('ids are taken with --mutate alone, and all are meant when none is given', () => {
  expect(parseArguments(['--mutate', 'W14', 'W15']).mutate).toEqual(['W14', 'W15']);
  expect(parseArguments(['--mutate']).mutate).toEqual([]);
  expect(parseArguments([]).mutate).toBeUndefined();
  expect(() => parseArguments(['W14'])).toThrow(TypeError);
});

test('files are taken for the report and the evidence, and what is unknown is refused', () => {
  expect(parseArguments(['--report', 'r.json', '--evidence', 'e.json'])).toMatchObject({
    report: 'r.json',
    evidence: 'e.json',
  });
  expect(() => parseArguments(['--rapport', 'r.json'])).toThrow(TypeError);
});

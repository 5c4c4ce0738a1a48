import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ids, idsInTitle, isRequirement, mutations, reached, reachedFile } from './ids.ts';
import { applyBreak } from './mutate.ts';

const root = join(import.meta.dirname, '..', '..');

/** How many ids each section of the requirements has. */
const SECTIONS = { W: 34, Q: 25, D: 6, V: 10, S: 10, T: 4, O: 6, P: 13, I: 10 };

describe('the list of ids', () => {
  test('is complete and in order, and each id has a title', () => {
    const expected = Object.entries(SECTIONS).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, index) => letter + String(index + 1).padStart(2, '0')),
    );
    expect(Object.keys(ids)).toEqual(expected);
    for (const [id, title] of Object.entries(ids)) {
      expect(isRequirement(id)).toBe(true);
      expect(title.length, id).toBeGreaterThan(10);
    }
  });

  test.each([
    ['W14: a stale fence changes nothing', ['W14']],
    ['W14 W15: both', ['W14', 'W15']],
    ['W14, W15: both', ['W14', 'W15']],
    ['F089: a fault', ['F089']],
    ['F036, W19: a fault and a requirement', ['F036', 'W19']],
    ['Q10 finding 14: with a word between', ['Q10']],
    ['W14 without a colon', []],
    ['tells W14: in the middle', []],
    ['WAL grows: slowly', []],
    ['no id', []],
  ])('%j opens with %j', (title, expected) => {
    expect(idsInTitle(title)).toEqual(expected);
  });
});

describe('the list of reached ids', () => {
  test('names requirements, each once, in their order', () => {
    expect(reached).toEqual(Object.keys(ids).filter((id) => reached.includes(id)));
  });

  test('has never lost one', () => {
    const git = ['-c', 'safe.directory=*', 'log', '-p', '--format=', '--', reachedFile];
    const history = execFileSync('git', git, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
    const lost = [...history.matchAll(/^-\s*"([A-Z]\d\d)"/gm)]
      .map(([, id]) => id)
      .filter((id) => !reached.includes(id ?? ''));
    expect(lost).toEqual([]);
  });
});

describe('the recorded breaks', () => {
  test.each(mutations)('$id breaks one place of $file, which is there, and names a test with its id', (mutation) => {
    expect(ids).toHaveProperty(mutation.id);
    expect(existsSync(join(root, mutation.test))).toBe(true);
    expect(readFileSync(join(root, mutation.test), 'utf8')).toContain(mutation.id);
    const source = readFileSync(join(root, mutation.file), 'utf8');
    expect(applyBreak(source, mutation.find, mutation.replace), 'the text to break must be in one place').toBeDefined();
    expect(mutation.find).not.toBe(mutation.replace);
  });

  test('a break needs exactly one place', () => {
    expect(applyBreak('a b c', 'b', 'x')).toBe('a x c');
    expect(applyBreak('a b b', 'b', 'x')).toBeUndefined();
    expect(applyBreak('a', 'b', 'x')).toBeUndefined();
  });
});

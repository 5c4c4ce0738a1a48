import { describe, expect, test } from 'vitest';
import { readSource, type SourceFile, sourceFiles } from './files.ts';

/** A rule of the house: where it holds, what breaks it, and how to mend that. */
export interface Rule {
  /** One sentence, after the ids of the requirements that it keeps. */
  readonly title: string;
  /** Told to whoever breaks the rule. */
  readonly mend: string;
  readonly covers: (path: string) => boolean;
  readonly breaches: (file: SourceFile) => readonly Breach[];
  /** Samples that show that the rule can tell: each of the first is caught, none of the second. */
  readonly caught: readonly SourceFile[];
  readonly allowed: readonly SourceFile[];
  /** Files that may break the rule, each with the reason. The list may only shrink: one that obeys must leave it. */
  readonly exceptions?: Readonly<Record<string, string>>;
}

export interface Breach {
  /** From 1. */
  readonly line: number;
  readonly what: string;
}

/** Holds the repository to the rule, and the rule to its samples. */
export function enforce(rule: Rule): void {
  const exceptions = rule.exceptions ?? {};
  const covered = (file: SourceFile): readonly string[] =>
    rule.covers(file.path) ? rule.breaches(file).map(({ line, what }) => `${file.path}:${line} ${what}`) : [];

  describe(rule.title, () => {
    test('the repository obeys', () => {
      const found = sourceFiles.filter((file) => !(file.path in exceptions)).flatMap(covered);
      expect(found, `${rule.title}.\nTo mend: ${rule.mend}`).toEqual([]);
    });

    test('the rule catches what it is for, and no more', () => {
      for (const sample of rule.caught) expect(covered(sample), sample.text).not.toEqual([]);
      for (const sample of rule.allowed) expect(covered(sample), sample.text).toEqual([]);
    });

    test('each exception is still one', () => {
      const obeying = Object.keys(exceptions).filter((path) => covered(readSource(path)).length === 0);
      expect(obeying, 'These files obey the rule now: take them off the list of exceptions.').toEqual([]);
    });
  });
}

/** A rule by lines: every line of the file that matches is a breach. */
export function matchingLines(pattern: RegExp): (file: SourceFile) => readonly Breach[] {
  return ({ text }) =>
    text
      .split('\n')
      .flatMap((content, index) => (pattern.test(content) ? [{ line: index + 1, what: content.trim() }] : []));
}

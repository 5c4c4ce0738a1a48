import { expect, test } from 'vitest';
import { sourceFiles } from './files.ts';
import { type Breach, enforce } from './rule.ts';

const CLAIM = /exactly[- ]once/i;
const DENIAL = /\b(never|not|no|none|nobody|cannot|can't|neither|nor|isn't|without)\b/i;

/** Sentences that speak of it; a line break inside a sentence is no end of it. */
function claims(text: string): readonly Breach[] {
  return [...text.matchAll(/[^.!?|]+/g)]
    .filter(([sentence]) => CLAIM.test(sentence) && !DENIAL.test(sentence))
    .map((match) => ({
      line: text.slice(0, match.index + match[0].search(CLAIM)).split('\n').length,
      what: match[0].trim().replace(/\s+/g, ' ').slice(0, 120),
    }));
}

const sample = (text: string): { readonly path: string; readonly text: string } => ({ path: 'docs/x.md', text });

enforce({
  title: 'Q19: nothing claims delivery exactly once, unless to deny it in the same sentence',
  mend: 'Say at-least-once, and how a consumer recognises a repeat.',
  // The rule itself, and the record of the false claim that it has to catch.
  covers: (path) => !['test/tidy/at-least-once.test.ts', 'test/conformance/mutations.json'].includes(path),
  breaches: ({ text }) => claims(text),
  caught: [sample('Waybill delivers exactly once.'), sample('It is not slow. It is\nexactly-once.')],
  allowed: [sample('Delivery over a network is never exactly once.'), sample('At-least-once.')],
});

test('Q19 W16: the documents promise at-least-once delivery', () => {
  const documents = sourceFiles.filter(({ path }) => /^(README|docs\/.*)\.?md$|^docs\/.*\.md$/.test(path));
  expect(documents.some(({ text }) => /at[- ]least[- ]once/i.test(text))).toBe(true);
});

import { describe, expect, test } from 'vitest';
import { jsonText, printable, printableLines } from './printable.ts';

describe('O04: text from outside', () => {
  test.each([
    ['a control that moves the cursor', 'a\u001b[2Jb', 'a\\u001b[2Jb'],
    ['the same as one character, which terminals obey as well', 'a\u009b2Jb', 'a\\u009b2Jb'],
    ['a delete', 'a\u007fb', 'a\\u007fb'],
    ['a line break, which would forge a line', 'a\nb\r\tc', 'a\\nb\\r\\tc'],
    ['a text that is shown backwards', 'a\u202egpj.exe', 'a\\u202egpj.exe'],
    ['an invisible character', 'a\u200bb', 'a\\u200bb'],
    ['an invisible character beyond the sixteen bits', 'a\u{e0041}b', 'a\\udb40\\udc41b'],
    ['a line separator', 'a\u2028b', 'a\\u2028b'],
    ['letters of any script', 'Übergröße 漢字 🚚', 'Übergröße 漢字 🚚'],
  ])('O04: %s', (_what, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test('O04: a text of lines keeps its lines', () => {
    expect(printableLines('a\u009b2J\nb')).toBe('a\\u009b2J\nb');
  });

  test('O04: a document is the same for a parser, and harmless on a terminal', () => {
    const document = { key: 'a\u001b\u007f\u009b\u202e\u{e0041}\u2028\nb', list: [1] };
    const text = jsonText(document);
    expect(JSON.parse(text)).toEqual(document);
    expect(text).not.toMatch(/[^\P{C}\n]|\u2028/u);
    expect(text.split('\n')).toHaveLength(6);
  });
});

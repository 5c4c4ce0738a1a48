import { type CharRange, LAST_CODE_POINT } from './expression.ts';

export const DIGIT: readonly CharRange[] = [[48, 57]];
export const WORD: readonly CharRange[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
export const SPACE: readonly CharRange[] = [
  [9, 13],
  [32, 32],
  [160, 160],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
export const LINE_ENDS: readonly CharRange[] = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];

const properties = new Map<string, readonly CharRange[]>();

/** The characters of a Unicode property, asked of the engine one by one, once: its tables are not to be had otherwise. */
export function unicodeProperty(escape: 'p' | 'P', name: string): readonly CharRange[] {
  const source = `\\${escape}{${name}}`;
  const known = properties.get(source);
  if (known !== undefined) return known;
  const expression = new RegExp(source, 'u');
  const ranges: [number, number][] = [];
  for (let point = 0; point <= LAST_CODE_POINT; point += 1) {
    if (!expression.test(String.fromCodePoint(point))) continue;
    const last = ranges.at(-1);
    if (last?.[1] === point - 1) last[1] = point;
    else ranges.push([point, point]);
  }
  properties.set(source, ranges);
  return ranges;
}

export function single(char: string): CharRange {
  const point = char.codePointAt(0) ?? 0;
  return [point, point];
}

import {
  type CharRange,
  END,
  type Expression,
  type Expressions,
  invertRanges,
  LAST_CODE_POINT,
  START,
} from './expression.ts';

/** What is not regular, or not modelled: lookarounds, word boundaries, back references, Unicode properties. */
class Unsupported extends Error {}

const DIGIT: readonly CharRange[] = [[48, 57]];
const WORD: readonly CharRange[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const SPACE: readonly CharRange[] = [
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
const LINE_ENDS: readonly CharRange[] = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];
const ANYTHING: readonly CharRange[] = [[0, LAST_CODE_POINT]];
const CONTROL: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, v: 11, f: 12, 0: 0 };

/** The marked texts in which an ECMAScript pattern (flag u) finds a match, or null for a pattern that is not modelled. */
export function parsePattern(pattern: string, make: Expressions): Expression | null {
  try {
    const parser = new PatternParser(Array.from(pattern), make);
    const inner = parser.alternatives();
    if (!parser.atEnd) return null;
    const anywhere = make.repeat(make.chars(ANYTHING), 0, Infinity);
    const before = make.any([make.empty, make.sequence(make.chars([[START, START]]), anywhere)]);
    const after = make.any([make.empty, make.sequence(anywhere, make.chars([[END, END]]))]);
    return make.all([make.sequence(make.sequence(before, inner), after), markedText(make)]);
  } catch (error) {
    if (error instanceof Unsupported) return null;
    throw error;
  }
}

/** All texts between their markers. */
export function markedText(make: Expressions): Expression {
  return make.sequence(
    make.chars([[START, START]]),
    make.sequence(make.repeat(make.chars(ANYTHING), 0, Infinity), make.chars([[END, END]])),
  );
}

/** One text between its markers. */
export function literalText(text: string, make: Expressions): Expression {
  const points = [START, ...Array.from(text, (char) => char.codePointAt(0) ?? 0), END];
  return points.reduceRight((rest, point) => make.sequence(make.chars([[point, point]]), rest), make.empty);
}

/** Recursive descent: alternatives, sequence, quantified term, term. */
class PatternParser {
  #next = 0;
  readonly #chars: readonly string[];
  readonly #make: Expressions;

  constructor(chars: readonly string[], make: Expressions) {
    this.#chars = chars;
    this.#make = make;
  }

  get atEnd(): boolean {
    return this.#next >= this.#chars.length;
  }

  alternatives(): Expression {
    const branches = [this.#sequence()];
    while (this.#take('|')) branches.push(this.#sequence());
    return this.#make.any(branches);
  }

  #sequence(): Expression {
    const terms: Expression[] = [];
    while (!this.atEnd && this.#peek() !== '|' && this.#peek() !== ')') terms.push(this.#quantified());
    return terms.reduceRight((rest, term) => this.#make.sequence(term, rest), this.#make.empty);
  }

  #quantified(): Expression {
    const term = this.#term();
    const bounds = this.#quantifier();
    if (bounds === null) return term;
    this.#take('?'); // A lazy quantifier finds the same texts.
    return this.#make.repeat(term, bounds[0], bounds[1]);
  }

  #quantifier(): readonly [number, number] | null {
    if (this.#take('*')) return [0, Infinity];
    if (this.#take('+')) return [1, Infinity];
    if (this.#take('?')) return [0, 1];
    const braces = /^\{(\d+)(,?)(\d*)\}/.exec(this.#chars.slice(this.#next, this.#next + 20).join(''));
    if (braces === null) return null;
    this.#next += braces[0].length;
    const min = Number(braces[1]);
    return [min, braces[2] === '' ? min : braces[3] === '' ? Infinity : Number(braces[3])];
  }

  #term(): Expression {
    const char = this.#advance();
    if (char === '^') return this.#make.chars([[START, START]]);
    if (char === '$') return this.#make.chars([[END, END]]);
    if (char === '.') return this.#make.chars(invertRanges(LINE_ENDS));
    if (char === '(') return this.#group();
    if (char === '[') return this.#make.chars(this.#charClass());
    if (char === '\\') return this.#make.chars(this.#escape());
    if ('*+?{}]'.includes(char)) throw new Unsupported();
    return this.#make.chars([single(char)]);
  }

  #group(): Expression {
    if (this.#take('?')) {
      if (this.#take('<')) this.#groupName();
      else if (!this.#take(':')) throw new Unsupported();
    }
    const inner = this.alternatives();
    if (!this.#take(')')) throw new Unsupported();
    return inner;
  }

  #groupName(): void {
    if (this.#peek() === '=' || this.#peek() === '!') throw new Unsupported();
    while (this.#advance() !== '>');
  }

  #charClass(): readonly CharRange[] {
    const inverted = this.#take('^');
    const ranges: CharRange[] = [];
    while (!this.#take(']')) {
      const from = this.#classAtom();
      const single = from.length === 1 && from[0]?.[0] === from[0]?.[1];
      if (single && this.#peek() === '-' && this.#chars[this.#next + 1] !== ']') {
        this.#advance();
        ranges.push([from[0]?.[0] ?? 0, this.#classAtom()[0]?.[1] ?? 0]);
      } else ranges.push(...from);
    }
    return inverted ? invertRanges(ranges) : ranges;
  }

  #classAtom(): readonly CharRange[] {
    const char = this.#advance();
    if (char !== '\\') return [single(char)];
    return this.#take('b') ? [[8, 8]] : this.#escape();
  }

  #escape(): readonly CharRange[] {
    const char = this.#advance();
    const sets: Readonly<Record<string, readonly CharRange[]>> = { d: DIGIT, w: WORD, s: SPACE };
    const set = sets[char.toLowerCase()];
    if (set !== undefined) return char === char.toLowerCase() ? set : invertRanges(set);
    const control = CONTROL[char];
    if (control !== undefined) return [[control, control]];
    if (char === 'x') return this.#hex(2);
    if (char === 'u') return this.#unicode();
    if (/[A-Za-z0-9]/.test(char)) throw new Unsupported();
    return [single(char)];
  }

  #unicode(): readonly CharRange[] {
    if (!this.#take('{')) return this.#hex(4);
    let digits = '';
    for (let char = this.#advance(); char !== '}'; char = this.#advance()) digits += char;
    return [[Number.parseInt(digits, 16), Number.parseInt(digits, 16)]];
  }

  #hex(length: number): readonly CharRange[] {
    let digits = '';
    for (let index = 0; index < length; index += 1) digits += this.#advance();
    const point = Number.parseInt(digits, 16);
    // Half of a surrogate pair needs its other half.
    if (Number.isNaN(point) || (point >= 0xd800 && point <= 0xdfff)) throw new Unsupported();
    return [[point, point]];
  }

  #peek(): string | undefined {
    return this.#chars[this.#next];
  }

  #advance(): string {
    const char = this.#peek();
    if (char === undefined) throw new Unsupported();
    this.#next += 1;
    return char;
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#next += 1;
    return true;
  }
}

function single(char: string): CharRange {
  const point = char.codePointAt(0) ?? 0;
  return [point, point];
}

import { DIGIT, LINE_ENDS, SPACE, single, unicodeProperty, WORD } from './char-sets.ts';
import { acceptsEmpty, derive, reversed } from './derive.ts';
import {
  type CharRange,
  END,
  type Expression,
  type Expressions,
  invertRanges,
  LAST_CODE_POINT,
  START,
} from './expression.ts';

/** What is not regular, or not modelled: back references, word boundaries, lookbehinds, lookaheads inside of groups. */
class Unsupported extends Error {}

const ANYTHING: readonly CharRange[] = [[0, LAST_CODE_POINT]];
const CONTROL: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, v: 11, f: 12, 0: 0 };

/** The marked texts in which an ECMAScript pattern (flag u) finds a match, or null for a pattern that is not modelled. */
export function parsePattern(pattern: string, make: Expressions): Expression | null {
  try {
    const anywhere = make.repeat(make.chars(ANYTHING), 0, Infinity);
    const before = make.any([make.empty, make.sequence(make.chars([[START, START]]), anywhere)]);
    const after = make.any([make.empty, make.sequence(anywhere, make.chars([[END, END]]))]);
    const parser = new PatternParser(Array.from(pattern), make);
    const inner = parser.alternatives(after);
    if (!parser.atEnd) return null;
    return make.all([anchored(make.sequence(before, inner), make), markedText(make)]);
  } catch (error) {
    if (error instanceof Unsupported) return null;
    throw error;
  }
}

/** Several anchors in a row stand at one place: `^^a$` says what `^a$` says. */
function anchored(expression: Expression, make: Expressions): Expression {
  const afterStart = afterMarks(expression, START, make);
  const beforeEnd = reversed(afterMarks(reversed(afterStart, make), END, make), make);
  const start = make.chars([[START, START]]);
  return make.sequence(start, make.sequence(beforeEnd, make.chars([[END, END]])));
}

/** What may follow one or more of a marker. */
function afterMarks(expression: Expression, mark: number, make: Expressions): Expression {
  const rests = new Set<Expression>();
  for (let rest = derive(expression, mark, make); rest !== make.nothing && !rests.has(rest); ) {
    rests.add(rest);
    rest = derive(rest, mark, make);
  }
  return make.any([...rests]);
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

/** What must follow, or must not, without being consumed. */
interface Lookahead {
  readonly seen: Expression;
  readonly positive: boolean;
}

interface Behind {
  readonly end: boolean;
  readonly lookahead: boolean;
}

/** Recursive descent: alternatives, sequence, quantified term, term. */
class PatternParser {
  #next = 0;
  /** What may stand before this place: a start or an end behind it would be at the place of an anchor that has been consumed. */
  #behind: Behind = { end: false, lookahead: false };
  #starts = 0;
  readonly #chars: readonly string[];
  readonly #make: Expressions;

  constructor(chars: readonly string[], make: Expressions) {
    this.#chars = chars;
    this.#make = make;
  }

  get atEnd(): boolean {
    return this.#next >= this.#chars.length;
  }

  /** @param then what follows the alternatives up to the end of the text; null inside of a group, where that is not known. */
  alternatives(then: Expression | null): Expression {
    const entered = this.#behind;
    const branches = [this.#sequence(then)];
    let left = this.#behind;
    while (this.#take('|')) {
      this.#behind = entered;
      branches.push(this.#sequence(then));
      left = { end: left.end || this.#behind.end, lookahead: left.lookahead || this.#behind.lookahead };
    }
    this.#behind = left;
    return this.#make.any(branches);
  }

  #sequence(then: Expression | null): Expression {
    const terms: (Expression | Lookahead)[] = [];
    // Before the first marker no lookahead could see the text.
    let started = false;
    while (!this.atEnd && this.#peek() !== '|' && this.#peek() !== ')') {
      const lookahead = this.#lookahead();
      if (lookahead !== null && (then === null || !started)) throw new Unsupported();
      const term = lookahead ?? this.#quantified();
      started ||= 'op' in term && !acceptsEmpty(term);
      terms.push(term);
    }
    return terms.reduceRight<Expression>(
      (rest, term) => ('op' in term ? this.#make.sequence(term, rest) : this.#make.all([this.#followedBy(term), rest])),
      then ?? this.#make.empty,
    );
  }

  #lookahead(): Lookahead | null {
    const sign = this.#chars.slice(this.#next, this.#next + 3).join('');
    if (sign !== '(?=' && sign !== '(?!') return null;
    if (this.#behind.end) throw new Unsupported();
    this.#next += sign.length;
    this.#behind = { end: false, lookahead: true };
    const seen = this.alternatives(null);
    if (!this.#take(')')) throw new Unsupported();
    this.#behind = { end: false, lookahead: true };
    return { seen, positive: sign === '(?=' };
  }

  #followedBy({ seen, positive }: Lookahead): Expression {
    const rest = this.#make.repeat(this.#make.chars([[0, END]]), 0, Infinity);
    const followed = this.#make.sequence(seen, rest);
    return positive ? followed : this.#make.not(followed);
  }

  #quantified(): Expression {
    const [startsBefore, ended] = [this.#starts, this.#behind.end];
    const term = this.#term();
    const bounds = this.#quantifier();
    if (bounds === null) return term;
    // The second time, a start would stand behind an end.
    if (this.#starts > startsBefore && this.#behind.end && !ended) throw new Unsupported();
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
    if (char === '^') return this.#start();
    if (char === '$') return this.#end();
    if (char === '.') return this.#make.chars(invertRanges(LINE_ENDS));
    if (char === '(') return this.#group();
    if (char === '[') return this.#make.chars(this.#charClass());
    if (char === '\\') return this.#make.chars(this.#escape());
    if ('*+?{}]'.includes(char)) throw new Unsupported();
    return this.#make.chars([single(char)]);
  }

  #start(): Expression {
    if (this.#behind.end || this.#behind.lookahead) throw new Unsupported();
    this.#starts += 1;
    return this.#make.chars([[START, START]]);
  }

  #end(): Expression {
    if (this.#behind.end && this.#behind.lookahead) throw new Unsupported();
    this.#behind = { ...this.#behind, end: true };
    return this.#make.chars([[END, END]]);
  }

  #group(): Expression {
    if (this.#take('?')) {
      if (this.#take('<')) this.#groupName();
      else if (!this.#take(':')) throw new Unsupported();
    }
    const inner = this.alternatives(null);
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
    if (char === 'p' || char === 'P') return unicodeProperty(char, this.#braced());
    if (/[A-Za-z0-9]/.test(char)) throw new Unsupported();
    return [single(char)];
  }

  #unicode(): readonly CharRange[] {
    if (this.#peek() !== '{') return this.#hex(4);
    const point = Number.parseInt(this.#braced(), 16);
    return [[point, point]];
  }

  #braced(): string {
    if (!this.#take('{')) throw new Unsupported();
    let inner = '';
    for (let char = this.#advance(); char !== '}'; char = this.#advance()) inner += char;
    return inner;
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

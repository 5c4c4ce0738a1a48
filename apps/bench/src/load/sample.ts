/** What every contender carries: an order, with what is needed to tell loss, repetition and disorder. */
export interface Sample {
  /** From 0 on, without a gap: the identity of the message in its load. */
  readonly n: number;
  /** Empty: no order is asked for. */
  readonly key: string;
  /** Grows by 1 within a key. */
  readonly step: number;
  readonly lines: Line[];
}

export interface Line {
  readonly sku: string;
  readonly quantity: number;
  readonly price: number;
  readonly note: string;
}

export interface Load {
  readonly count: number;
  /** 0: without keys. */
  readonly keys: number;
  /** JSON text of one payload, about. */
  readonly bytes: number;
}

/** The samples `from` up to `to` of a load. The same load gives the same samples to every contender. */
export function samplesOf({ keys, bytes }: Load, from: number, to: number): Sample[] {
  return Array.from({ length: to - from }, (_, index) => {
    const n = from + index;
    return sampleOf(
      { n, key: keys === 0 ? '' : `Order/${n % keys}`, step: keys === 0 ? 0 : Math.floor(n / keys) },
      bytes,
    );
  });
}

export function sampleOf(identity: Pick<Sample, 'n' | 'key' | 'step'>, bytes: number): Sample {
  const lines: Line[] = [];
  // The envelope of n, key and step takes about this much.
  const ENVELOPE_BYTES = 45;
  for (let written = ENVELOPE_BYTES; written < bytes; ) {
    const line = lineOf(identity.n, lines.length);
    lines.push(line);
    written += JSON.stringify(line).length + 1;
  }
  return { ...identity, lines };
}

const WORDS =
  'amber anchor basket birch canvas cedar cobalt copper cotton dawn ember fabric fern flint forest frost glass grain granite harbour hazel indigo iron ivory juniper lantern linen maple marble meadow midnight mint moss oak olive onyx opal orchid pearl pine plum quartz raven river rose russet saffron sage sand satin silver slate spruce steel stone storm straw thistle timber velvet walnut willow winter wool zinc'.split(
    ' ',
  );

/** Words and numbers as in an order of a shop: neither one letter repeated nor noise, so that PostgreSQL compresses it as it does real payloads. */
function lineOf(n: number, index: number): Line {
  const draw = drawFrom(n * 131 + index);
  const word = (): string => WORDS[draw(WORDS.length)] ?? '';
  return {
    sku: `${word()}-${draw(100_000)}`,
    quantity: 1 + draw(9),
    price: 100 + draw(99_900),
    note: `${word()} ${word()} ${word()}`,
  };
}

/** A small generator (mulberry32): the same numbers everywhere. */
function drawFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

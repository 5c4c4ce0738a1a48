import { type Figures, figuresLine, type Reading, ratePerSecond } from './figures.ts';
import type { Style } from './style.ts';

/** Tells the story while it happens. */
export interface Progress {
  /** A new part of the story begins. */
  chapter(title: string): void;
  /** Something happened that is worth a line. */
  note(text: string): void;
  /** New figures; shown at once on a terminal, now and then elsewhere. */
  figures(figures: Figures): void;
  /** Ends the live display; what was told stays. */
  close(): void;
}

/** Where lines are written to: a stream, or a list in a test. */
export interface Output {
  write(text: string): void;
}

export interface ProgressOptions {
  readonly output: Output;
  readonly style: Style;
  /** A clock that only goes forward, in milliseconds. */
  readonly now: () => number;
}

const CLEAR_LINE = '\u001b[2K';
const UP_ONE = '\u001b[1A';

/** Chapters and notes scroll by; below them two lines with the figures are drawn again and again. */
export function liveProgress({ output, style, now }: ProgressOptions): Progress {
  let block: readonly string[] = [];
  let latest: Reading | undefined;

  const erase = (): void => {
    output.write(`\r${CLEAR_LINE}${block.map(() => `${UP_ONE}${CLEAR_LINE}`).join('')}`);
    block = [];
  };
  const draw = (lines: readonly string[]): void => {
    block = lines;
    output.write(lines.map((line) => `${line}\n`).join(''));
  };
  const tell = (line: string): void => {
    const below = block;
    erase();
    output.write(`${line}\n`);
    draw(below);
  };
  return {
    chapter: (title) => {
      tell(style.bold(title));
    },
    note: (text) => {
      tell(`  ${text}`);
    },
    figures: (figures) => {
      const reading = { ...figures, atMs: now() };
      const rate = ratePerSecond(latest ?? reading, reading);
      latest = reading;
      erase();
      draw([style.dim(`  ${figuresLine(figures, rate)}`), style.dim(`  ${figures.dispatchers.join(', ')}`)]);
    },
    close: erase,
  };
}

/** A log would drown in figures, so it gets one line of them in so many milliseconds. */
const FIGURES_EVERY_MS = 2_000;

/** One plain line after the other. */
export function plainProgress({ output, now }: Omit<ProgressOptions, 'style'>): Progress {
  let shown: Reading | undefined;
  return {
    chapter: (title) => {
      output.write(`${title}\n`);
    },
    note: (text) => {
      output.write(`  ${text}\n`);
    },
    figures: (figures) => {
      const reading = { ...figures, atMs: now() };
      shown ??= reading;
      if (reading.atMs - shown.atMs < FIGURES_EVERY_MS) return;
      output.write(`  ${figuresLine(figures, ratePerSecond(shown, reading))} (${figures.dispatchers.join(', ')})\n`);
      shown = reading;
    },
    close: () => undefined,
  };
}

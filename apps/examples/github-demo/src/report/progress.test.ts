import { describe, expect, test } from 'vitest';
import type { Figures } from './figures.ts';
import { liveProgress, type ProgressOptions, plainProgress } from './progress.ts';
import { createStyle } from './style.ts';

function stage(): {
  readonly options: ProgressOptions;
  readonly text: () => string;
  readonly tick: (ms: number) => void;
} {
  const written: string[] = [];
  let nowMs = 0;
  return {
    options: { output: { write: (text) => written.push(text) }, style: createStyle(false), now: () => nowMs },
    text: () => written.join(''),
    tick: (ms) => {
      nowMs += ms;
    },
  };
}

const figures = (delivered: number): Figures => ({
  committed: 1_500,
  delivered,
  dispatchers: ['older #1', 'newer #1 (draining)'],
});

describe('D06: the progress of the demo', () => {
  test('outside a terminal: plain lines without control characters, and figures now and then', () => {
    const { options, text, tick } = stage();
    const progress = plainProgress(options);
    progress.chapter('A crash');
    progress.figures(figures(0));
    for (let second = 1; second <= 4; second += 1) {
      tick(1_000);
      progress.figures(figures(second * 300));
    }
    progress.note('older #1 is gone');
    progress.close();
    expect(text()).toBe(
      [
        'A crash',
        '  1,500 committed, 600 delivered, 900 waiting, 300/s (older #1, newer #1 (draining))',
        '  1,500 committed, 1,200 delivered, 300 waiting, 300/s (older #1, newer #1 (draining))',
        '  older #1 is gone',
        '',
      ].join('\n'),
    );
  });

  test('on a terminal: the figures are drawn over themselves, below what was told', () => {
    const { options, text, tick } = stage();
    const progress = liveProgress(options);
    progress.chapter('A crash');
    progress.figures(figures(0));
    tick(500);
    progress.figures(figures(100));
    progress.close();
    const screen = render(text());
    expect(screen).toEqual(['A crash']);
    expect(text()).toContain('1,500 committed, 100 delivered, 1,400 waiting, 200/s');
  });

  test('NO_COLOR: without colour a style changes nothing', () => {
    expect(createStyle(false).bad('lost')).toBe('lost');
    expect(createStyle(true).bad('lost')).not.toBe('lost');
  });
});

/** What a terminal shows in the end: knows the few sequences that the display uses. */
function render(text: string): readonly string[] {
  const lines = [''];
  let row = 0;
  for (const [token] of text.matchAll(/\u001b\[2K|\u001b\[1A|\r|\n|[^\u001b\r\n]+/gu)) {
    if (token === '\u001b[2K') lines[row] = '';
    else if (token === '\u001b[1A') row = Math.max(0, row - 1);
    else if (token === '\n') row += 1;
    else if (token !== '\r') lines[row] = `${lines[row] ?? ''}${token}`;
    lines[row] ??= '';
  }
  return lines.filter((line) => line !== '');
}

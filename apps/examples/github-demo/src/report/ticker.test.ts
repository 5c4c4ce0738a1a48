import { expect, test } from 'vitest';
import { showWhile } from './ticker.ts';

const NO_FIGURES = { committed: 0, delivered: 0, dispatchers: [] };

function progressThat(figures: () => void) {
  return { chapter: () => undefined, note: () => undefined, figures, close: () => undefined };
}

test('D06: figures that cannot be read are reported when the work is done, and end nothing before', async () => {
  let finish: (told: string) => void = () => undefined;
  const work = new Promise<string>((resolve) => {
    finish = resolve;
  });
  const failure = new Error('the connection is gone');
  const showing = showWhile(
    progressThat(() => undefined),
    () => Promise.reject(failure),
    work,
  );
  // A turn of the event loop is when Node would end the process over a rejection that nobody awaits.
  await new Promise((resolve) => setImmediate(resolve));
  finish('told');
  await expect(showing).rejects.toBe(failure);
});

test('D06: the failure of the work goes before that of the figures', async () => {
  const failure = new Error('a dispatcher has failed');
  const showing = showWhile(
    progressThat(() => undefined),
    () => Promise.resolve(NO_FIGURES),
    Promise.reject(failure),
  );
  await expect(showing).rejects.toBe(failure);
});

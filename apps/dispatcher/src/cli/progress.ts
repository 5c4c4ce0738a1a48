import type { CliContext } from './context.ts';
import { tell } from './output.ts';

// Often enough to see that it lives, seldom enough for a log.
const EVERY_MS = 2_000;

/** Tells how far an operation is, on standard error, every two seconds at most and not before the first two. */
export function progressTo(context: CliContext): (message: string) => void {
  let toldAt = context.clock.now();
  return (message) => {
    const now = context.clock.now();
    if (now - toldAt < EVERY_MS) return;
    toldAt = now;
    tell(context, message);
  };
}

import type { ConsumeReport, Parent } from './consuming.ts';
import type { Meter } from './tally.ts';

/** The parent of a forked process, without which the process ends too. */
export function processParent(self: NodeJS.Process): Parent & { readonly leave: () => void } {
  const orphaned = (): void => void self.kill(self.pid, 'SIGTERM');
  // As long as somebody listens, the channel keeps the process alive.
  const leave = (): void => void self.off('disconnect', orphaned);
  self.once('disconnect', orphaned);
  return {
    leave,
    send: (report: ConsumeReport) => void self.send?.(report),
    onStop: (stop) => {
      self.once('message', () => {
        leave();
        stop();
      });
    },
  };
}

/** Time as all processes of one machine agree on, and the CPU of this one. */
export function processMeter(
  self: NodeJS.Process,
  clock: { readonly timeOrigin: number; readonly now: () => number },
): Meter {
  return {
    now: () => clock.timeOrigin + clock.now(),
    cpuMs: () => {
      const { user, system } = self.cpuUsage();
      return (user + system) / 1_000;
    },
  };
}

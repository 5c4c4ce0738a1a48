/** Time as the loop sees it. Monotonic: a host whose clock is set wrong, or set anew, neither steals a lease nor delays a retry. */
export interface Clock {
  /** Milliseconds since some fixed moment. */
  now(): number;
  /** Resolves after `ms`, or as soon as the signal fires. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Node turns a longer delay into 1 ms, which would be a busy loop where somebody asked for a long rest. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = { now: () => performance.now(), sleep };

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    // "NaN > 0" is false, so nonsense does not wait for ever.
    const endsAt = performance.now() + (ms > 0 ? ms : 0);
    let timer = arm();

    function arm(): NodeJS.Timeout {
      // The clock has gone on since it was compared, and Node warns of what is below zero.
      return setTimeout(onTimer, Math.min(Math.max(0, endsAt - performance.now()), MAX_TIMER_MS));
    }
    function onTimer(): void {
      if (endsAt > performance.now()) timer = arm();
      else end();
    }
    function end(): void {
      clearTimeout(timer);
      // The signal may live as long as the process; a listener for each sleep would not be collected until then.
      signal?.removeEventListener('abort', end);
      resolve();
    }
    signal?.addEventListener('abort', end);
  });
}

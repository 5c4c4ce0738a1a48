/** What has to be undone at the end, whatever the end is. */
export interface Cleanup {
  /** Registers a step; the last one registered runs first. */
  defer(what: string, undo: () => Promise<void>): void;
  /** Runs every step, once, even when some fail; returns what failed. */
  run(): Promise<readonly Error[]>;
}

/** An empty list of things to undo. */
export function createCleanup(): Cleanup {
  const steps: { readonly what: string; readonly undo: () => Promise<void> }[] = [];
  return {
    defer: (what, undo) => {
      steps.push({ what, undo });
    },
    run: async () => {
      const failures: Error[] = [];
      for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
        try {
          await step.undo();
        } catch (cause) {
          failures.push(new Error(`could not ${step.what}`, { cause }));
        }
      }
      return failures;
    },
  };
}

/** What a step between two versions did with a payload. */
export type StepTaken = { readonly result: unknown } | { readonly threw: unknown };

/** Runs an upcast or a downcast. It is the contract's code and may throw on a record that nobody thought of, which is an answer here. */
export function takeStep(step: (payload: never) => unknown, payload: unknown): StepTaken {
  try {
    // The payload was validated with the schema that the step is typed for; the general type of a message has forgotten which.
    return { result: step(payload as never) };
  } catch (threw) {
    return { threw };
  }
}

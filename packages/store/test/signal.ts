export interface Signal<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
}

/** Something that one part of a test says, and another waits for. */
export function signal<T = undefined>(): Signal<T> {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((given) => {
    resolve = given;
  });
  return { promise, resolve };
}

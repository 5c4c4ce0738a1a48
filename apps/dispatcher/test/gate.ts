/** A promise that the test settles: handlers wait at it, and the test waits until somebody stands there. */
export class Gate<T = void> {
  readonly opened: Promise<T>;
  readonly reached: Promise<void>;
  open: (value: T) => void = () => {};
  #reach: () => void = () => {};

  constructor() {
    this.opened = new Promise((resolve) => {
      this.open = resolve;
    });
    this.reached = new Promise((resolve) => {
      this.#reach = resolve;
    });
  }

  /** Stands at the gate until it is opened. */
  pass(): Promise<T> {
    this.#reach();
    return this.opened;
  }
}

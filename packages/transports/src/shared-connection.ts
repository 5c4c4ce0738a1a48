/** How a connection is made, watched and given up. */
export interface ConnectionPort<C> {
  /** Resolves once the connection can be used. It must not try again on its own after a failure. */
  connect(): Promise<C>;
  /** Resolves or rejects when the connection is gone for good. */
  lost(connection: C): Promise<unknown>;
  end(connection: C): Promise<void>;
}

/** One connection for everybody, made when it is first needed and made anew when it is needed after a loss. */
export interface SharedConnection<C> {
  /** @throws whatever `connect` throws. */
  get(): Promise<C>;
  close(): Promise<void>;
}

/** Shares the connections of a port. No timer and no loop: between two uses nothing happens. */
export function shareConnection<C>(port: ConnectionPort<C>): SharedConnection<C> {
  let current: Promise<C> | null = null;

  const open = (): Promise<C> => {
    const connecting = port.connect();
    const forget = (): void => {
      if (current === connecting) current = null;
    };
    connecting.then((connection) => port.lost(connection)).then(forget, forget);
    return connecting;
  };

  return {
    get() {
      current ??= open();
      return current;
    },
    async close() {
      const closing = current;
      current = null;
      // A connection that was never made needs no end.
      const connection = await closing?.catch(() => null);
      if (connection) await port.end(connection);
    },
  };
}

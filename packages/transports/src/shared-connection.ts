/** How a connection is made, watched and given up. */
export interface ConnectionPort<C> {
  /** Resolves once the connection can be used. It must not try again on its own after a failure. */
  connect(): Promise<C>;
  /** Resolves or rejects when the connection is gone for good. */
  lost(connection: C): Promise<unknown>;
  /** Ends the connection at once; does nothing when it is gone already. */
  end(connection: C): Promise<void>;
}

/** One connection for everybody, made when it is first needed and made anew when it is needed after a loss. */
export interface SharedConnection<C> {
  /** @throws whatever `connect` throws. */
  open(): Promise<OpenConnection<C>>;
  close(): Promise<void>;
}

/** A connection while it is shared. */
export interface OpenConnection<C> {
  readonly connection: C;
  /** Runs `work` over it. */
  use<T>(work: (connection: C) => Promise<T>): Promise<T>;
  /** Keeps new users away, since it no longer answers, and ends it when the last one is done. */
  retire(): Promise<void>;
  end(): Promise<void>;
}

/** Shares the connections of a port. No timer and no loop: between two uses nothing happens. */
export function shareConnection<C>(port: ConnectionPort<C>): SharedConnection<C> {
  let current: Promise<OpenConnection<C>> | null = null;

  const connect = (): Promise<OpenConnection<C>> => {
    const forget = (): void => {
      if (current === opening) current = null;
    };
    const opening: Promise<OpenConnection<C>> = port.connect().then((connection) => {
      port.lost(connection).then(forget, forget);
      return countUsers(connection, { forget, end: () => port.end(connection) });
    });
    opening.catch(forget);
    return opening;
  };

  return {
    open() {
      current ??= connect();
      return current;
    },
    async close() {
      // A connection that could not be made needs no end.
      const open = await current?.catch(() => null);
      current = null;
      await open?.end();
    },
  };
}

interface GivingUp {
  readonly forget: () => void;
  readonly end: () => Promise<void>;
}

function countUsers<C>(connection: C, { forget, end }: GivingUp): OpenConnection<C> {
  let users = 0;
  let retired = false;
  const endIfUnused = async (): Promise<void> => {
    if (retired && users === 0) await end();
  };
  return {
    connection,
    end,
    async use(work) {
      users++;
      try {
        return await work(connection);
      } finally {
        users--;
        await endIfUnused();
      }
    },
    async retire() {
      retired = true;
      forget();
      await endIfUnused();
    },
  };
}

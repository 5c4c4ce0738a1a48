import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Something that this process holds and that keeps it alive. */
export interface Resource {
  readonly name: string;
  readonly count: () => number;
}

export const TIMERS: Resource = resource('timers', 'Timeout');
/** Both ends of a connection that the process has with itself count. */
export const SOCKETS: Resource = resource('sockets', 'TCPSocketWrap');

function resource(name: string, kind: string): Resource {
  return { name, count: () => process.getActiveResourcesInfo().filter((held) => held === kind).length };
}

// The other end of a connection takes a moment to notice that it was closed. Less than after what an idle one is given up anyway.
const PATIENCE_MS = 3_000;
const LOOK_EVERY_MS = 10;

/** Waits until there are so many of a resource, or fewer. */
export async function untilAtMost({ name, count }: Resource, most: number): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (count() > most) {
    assert.ok(performance.now() < giveUpAt, `there were ${most} ${name}, and now there are ${count()}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** What is left on the heap after a collection. Some of it goes a little later, when what was compiled meanwhile is thrown away. */
export const HEAP: Resource = {
  name: 'bytes of heap',
  count: () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void; // what --expose-gc puts there
    collect();
    return process.memoryUsage().heapUsed;
  },
};

import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { SupervisedProcess } from './supervised-process.ts';

/** A start takes a fraction of a second, and many seconds on a machine under heavy load. A server that ends is seen at once. */
const READY_TIMEOUT_MS = 120_000;
/** Short against the start of a server, long against a refused connection. */
const READY_POLL_MS = 25;

/** Waits until the server at `url` takes connections, ends, or has had its time. */
export async function untilReady(url: string, server: SupervisedProcess): Promise<'ready' | 'ended' | 'timeout'> {
  const timeout = AbortSignal.timeout(READY_TIMEOUT_MS);
  while (!timeout.aborted) {
    if (server.ended.aborted) return 'ended';
    if (await accepts(url)) return 'ready';
    await delay(READY_POLL_MS);
  }
  return 'timeout';
}

/** Whether the server takes our password, so that another one on the same port is not mistaken for ours. */
async function accepts(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: READY_TIMEOUT_MS });
  // A server that goes away in the middle also reports to the client itself; the rejected call tells us enough.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

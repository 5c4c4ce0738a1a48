import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the range from which systems take the ports of outgoing connections: one of those could take the port before its server does.
const FIRST_PORT = 12_000;
const LAST_PORT = 31_999;
const TRIES = 100;

/** A port of 127.0.0.1 on which nobody listened a moment ago, drawn by lot so that two programs hardly draw the same. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    if (await isFree(port)) return port;
  }
  throw new Error(`none of ${TRIES} ports from ${FIRST_PORT} to ${LAST_PORT} was free`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  probe.listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return false; // somebody has it
  }
  probe.close();
  await once(probe, 'close');
  return true;
}

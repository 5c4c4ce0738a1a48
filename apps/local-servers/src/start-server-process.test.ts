import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from './free-port.ts';
import { startServerProcess } from './start-server-process.ts';

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const found = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return found;
}

test('T01: a server that ends before it listens is reported with what it said', async () => {
  const args = ['-c', 'echo no disk left; exit 3'];
  const starting = startServerProcess({ program: '/bin/sh', args, port: await freePort() });
  await expect(starting).rejects.toThrow('/bin/sh did not start:\nno disk left');
});

test('T01: a server that a script has started goes with the script', async () => {
  const port = await freePort();
  const real = `require('node:net').createServer().listen(${port}, '127.0.0.1')`;
  const args = ['-c', `"$0" -e "$1" & wait`, process.execPath, real];
  const server = await startServerProcess({ program: '/bin/sh', args, port, stopSignal: 'SIGKILL' });
  expect(await listens(port)).toBe(true);
  await server.stop();
  await expect.poll(() => listens(port)).toBe(false);
});

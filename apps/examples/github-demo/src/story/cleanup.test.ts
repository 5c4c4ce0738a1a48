import { expect, test } from 'vitest';
import { createCleanup } from './cleanup.ts';

test('D06: everything is undone, the last thing first, even when a step fails', async () => {
  const undone: string[] = [];
  const cleanup = createCleanup();
  const step = (name: string): Promise<void> => {
    undone.push(name);
    return Promise.resolve();
  };
  cleanup.defer('close the server', () => step('server'));
  cleanup.defer('break', () => Promise.reject(new Error('broken')));
  cleanup.defer('close the client', () => step('client'));

  const failures = await cleanup.run();
  expect(undone).toEqual(['client', 'server']);
  expect(failures).toMatchObject([{ message: 'could not break', cause: { message: 'broken' } }]);
  expect(await cleanup.run()).toEqual([]);
});

import { mkdir, mkdtemp, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HeldMessage, type TransportTarget, testMessage, transportSuite } from '@waybill/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { file } from './file.ts';

const OPEN_CONTEXT = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };

async function readHeld(path: string): Promise<readonly HeldMessage[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').slice(0, -1).flatMap(parseLine);
}

function parseLine(line: string): readonly HeldMessage[] {
  try {
    return [JSON.parse(line) as HeldMessage]; // written by messageLine
  } catch {
    return [];
  }
}

async function startTarget(): Promise<TransportTarget> {
  const root = await mkdtemp(join(tmpdir(), 'waybill-file-'));
  const directory = join(root, 'outgoing');
  const path = join(directory, 'messages.jsonl');
  await mkdir(directory);
  return {
    open: async () => file({ path }),
    openUnauthorized: { notApplicable: 'the file has no credentials of its own' },
    held: () => readHeld(path),
    forget: async () => truncate(path),
    slow: { notApplicable: 'there is no line that could be slow' },
    faults: {
      'request-cut': { notApplicable: 'there is no line that could break' },
      down: { notApplicable: 'an open file stays writable when its directory goes; see the test below' },
      'answer-cut': { notApplicable: 'there is no line that could break' },
      'answer-held': { notApplicable: 'there is no line that could be slow' },
      hangs: { notApplicable: 'there is no line that could hang' },
      refuses: { notApplicable: 'a file takes whatever is written' },
    },
    stop: () => rm(root, { recursive: true }),
  };
}

transportSuite({ describe, test, beforeAll, afterAll }, 'file', startTarget, {
  leakMessages: Number(process.env['WAYBILL_SUITE_MESSAGES'] ?? 500),
});

describe('file', () => {
  test('T01: a directory that is not there is a retry, and the same transport goes on when it comes', async () => {
    const root = await mkdtemp(join(tmpdir(), 'waybill-file-'));
    const transport = file({ path: join(root, 'later', 'messages.jsonl') });
    const message = testMessage();
    expect(await transport.publish([message], OPEN_CONTEXT)).toEqual([
      { outcome: 'retry', class: 'file-unavailable', detail: 'ENOENT' },
    ]);
    expect(await transport.probe(OPEN_CONTEXT.signal)).toMatchObject({ status: 'unreachable', detail: 'ENOENT' });
    const spare = await mkdtemp(join(tmpdir(), 'waybill-file-'));
    await rename(spare, join(root, 'later'));
    expect(await transport.publish([message], OPEN_CONTEXT)).toMatchObject([{ outcome: 'accepted' }]);
    await transport.close();
    await rm(root, { recursive: true });
  });

  test('T01: a line cut by a crash spoils no other', async () => {
    const root = await mkdtemp(join(tmpdir(), 'waybill-file-'));
    const path = join(root, 'messages.jsonl');
    await writeFile(path, '{"id":"cut in the mid');
    const transport = file({ path });
    const message = testMessage();
    await transport.publish([message], OPEN_CONTEXT);
    await transport.close();
    expect((await readHeld(path)).map(({ id }) => id)).toEqual([message.id]);
    await rm(root, { recursive: true });
  });

  test('T01: a failed write is unknown', async () => {
    const transport = file({ path: '/dev/full' });
    expect(await transport.publish([testMessage()], OPEN_CONTEXT)).toEqual([
      { outcome: 'unknown', class: 'write-failed', detail: 'ENOSPC' },
    ]);
    await transport.close();
  });

  test('T01: options are checked as a whole', () => {
    expect(() => file({ path: '', name: '' })).toThrow(
      "file: path: expected a text that is not empty, got ''; file: name: expected a text that is not empty, got ''",
    );
  });
});

import { expect, test } from 'vitest';
import { readSecretFiles } from './secret-file.ts';

const FILES: Readonly<Record<string, string>> = { '/run/secrets/db': 'postgres://u:p@db/x\n' };

function readFile(path: string): string {
  const content = FILES[path];
  if (content === undefined) throw Object.assign(new Error(`no such file ${path}`), { code: 'ENOENT' });
  return content;
}

test('D04: a secret may stand in a file, whose last line break is no part of it', () => {
  const { environment, problems } = readSecretFiles({ WAYBILL_DATABASE_URL_FILE: '/run/secrets/db' }, readFile);
  expect(problems).toEqual([]);
  expect(environment['WAYBILL_DATABASE_URL']).toBe('postgres://u:p@db/x');
});

test('D04: an unreadable file and a secret given twice are problems', () => {
  expect(readSecretFiles({ WAYBILL_DATABASE_URL_FILE: '/nowhere' }, readFile).problems).toEqual([
    'WAYBILL_DATABASE_URL_FILE: expected a readable file, got ENOENT for "/nowhere"',
  ]);
  const twice = { WAYBILL_DATABASE_URL_FILE: '/run/secrets/db', WAYBILL_DATABASE_URL: 'postgres://other/' };
  expect(readSecretFiles(twice, readFile).problems).toEqual([
    'WAYBILL_DATABASE_URL_FILE: expected one of WAYBILL_DATABASE_URL and WAYBILL_DATABASE_URL_FILE, got both',
  ]);
});

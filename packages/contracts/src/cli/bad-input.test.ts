import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { order, Workspace } from '../../test/workspace.ts';

const list = (length: number) => Array.from({ length }, (_, index) => index);
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const circle = {
  $ref: '#/$defs/A',
  $defs: { A: { anyOf: [{ $ref: '#/$defs/B' }] }, B: { not: { $ref: '#/$defs/A' } } },
};

describe('V08: bad input is 3 with the file and the place in it', () => {
  test.each<[string, unknown, string]>([
    ['an empty file', '', 'bad.json: is not JSON'],
    ['a file that ends too early', '{"type":"obj', 'bad.json: is not JSON'],
    [
      'a list',
      [],
      'bad.json: the schema cannot be worked with:\n  - /: a schema is an object or a boolean, not an array',
    ],
    ['a malformed keyword', { properties: { a: { minLength: -1 } } }, '/properties/a/minLength: must be >= 0'],
    ['a number that JSON writes and JavaScript cannot read', '{"maximum":1e400}', '/maximum: the number is too large'],
    [
      'a reference to another file',
      { items: { $ref: 'other.json#/a' } },
      '/items/$ref: the reference "other.json#/a" leads out',
    ],
    ['references in a circle', circle, '/$defs/A/anyOf/0/$ref: the reference "#/$defs/B" leads back to itself'],
    ['a schema of many parts', { anyOf: list(20_001).map((value) => ({ const: value })) }, 'more than 20000 parts'],
    ['a schema of many values', { enum: list(200_000) }, 'more than 20000 parts and listed values'],
    ['a schema that is nested deeply', `${'{"not":'.repeat(300)}{}${'}'.repeat(300)}`, 'nested deeper than 200 levels'],
    ['a value that is nested deeply', `{"const":${nested(20_000)}}`, 'bad.json: is nested deeper than 1000 levels'],
    ['an unsupported dialect', { $schema: 7 }, '/$schema: 7 is not supported'],
  ])('%s', async (_what, content, message) => {
    const place = new Workspace();
    place.write('good.json', order());
    place.write('bad.json', content);
    for (const files of [
      ['good.json', 'bad.json'],
      ['bad.json', 'good.json'],
    ]) {
      const { code, out, err } = await place.run('compare', ...files, '--json');
      expect([code, out, err]).toEqual([3, '', expect.stringContaining(message)]);
    }
  });

  test('bytes that are no text, and a file that is too large', async () => {
    const place = new Workspace();
    writeFileSync(join(place.directory, 'bytes.json'), Buffer.from([0xff, 0xfe, 0x00]));
    place.write('large.json', ' '.repeat(20_000_001));
    const bytes = await place.run('compare', 'bytes.json', 'bytes.json');
    expect([bytes.code, bytes.err]).toEqual([3, expect.stringContaining('bytes.json: is not JSON')]);
    const large = await place.run('compare', 'large.json', 'large.json');
    expect([large.code, large.err]).toEqual([3, expect.stringContaining('large.json: has 20000001 bytes')]);
  });

  test('each bad line of many pairs, by its number; the good ones are answered', async () => {
    const place = new Workspace();
    const lines = [
      'nonsense',
      '[]',
      'null',
      '{"id":4,"before":{}}',
      '{"id":5,"before":{"$ref":"#"},"after":{}}',
      '{"id":6,"before":{},"after":{}}',
    ];
    place.write('pairs.jsonl', lines.join('\n'));
    const { code, out } = await place.run('compare', '--pairs', 'pairs.jsonl');
    const answers = out.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(code).toBe(3);
    for (const [index, answer] of answers.slice(0, 5).entries())
      expect(answer['error']).toContain(`pairs.jsonl:${index + 1}`);
    expect(answers[5]).toMatchObject({ id: 6, verdict: 'same-version' });
  });

  test.each<[string, readonly string[], string]>([
    ['one file', ['compare', 'good.json'], 'needs either two schema files or --pairs'],
    ['three files', ['compare', 'good.json', 'good.json', 'good.json'], 'needs either two schema files or --pairs'],
    ['files and pairs', ['compare', 'good.json', 'good.json', '--pairs', 'none.jsonl'], 'needs either'],
    ['no pairs', ['compare', '--pairs', 'none.jsonl'], 'none.jsonl: holds no pairs'],
    ['a folder', ['compare', 'good.json', 'folder'], 'folder: cannot be read (EISDIR)'],
    [
      'an output that is none',
      ['compare', 'good.json', 'good.json', '--output', 'xml'],
      'Allowed choices are text, json',
    ],
    ['a format that is none', ['docs', '--format', 'xml'], 'Allowed choices are markdown, asyncapi'],
    ['a package name that is none', ['init', 'A Name'], 'A Name: is no package name'],
    ['a file in the way', ['init', '@acme/new', 'good.json'], 'good.json/package.json: '],
    ['a folder that is in use', ['init', '@acme/new', '.'], 'package.json: is there already'],
    ['a version that is none', ['explain', 'orders.place'], 'write TYPE@VERSION'],
    ['evidence that is not there', ['retire', 'orders.place@1', '--evidence', 'no.json'], 'no.json: cannot be read'],
  ])('wrong usage: %s', async (_what, args, message) => {
    const place = new Workspace();
    place.write('good.json', order());
    place.write('none.jsonl', '\n\n');
    place.at('folder');
    expect(await place.run(...args)).toMatchObject({ code: 3, out: '', err: expect.stringContaining(message) });
  });

  test('types that nobody defines, a base without a name, a file where the schemas should be', async () => {
    const place = new Workspace();
    const contracts = place.contracts({ 1: order() });
    expect(await place.run('freeze', 'orders.plaice', ...contracts)).toMatchObject({
      code: 3,
      err: expect.stringContaining('orders.plaice: no contract package defines it'),
    });
    expect(await place.run('explain', 'orders.place@9', ...contracts)).toMatchObject({ code: 3 });
    expect(await place.run('check', '--against', '', ...contracts)).toMatchObject({
      code: 3,
      err: expect.stringContaining('names no base'),
    });
    expect(await place.run('freeze', '--schemas', 'package.json', ...contracts)).toMatchObject({
      code: 3,
      err: expect.stringContaining('cannot be written (ENOTDIR)'),
    });
  });

  test('V07: two packages that define one type', async () => {
    const place = new Workspace();
    const [, first = ''] = place.contracts({ 1: order() });
    const [, second = ''] = place.contracts({ 1: order() });
    expect(await place.run('freeze', '--contracts', first, second)).toMatchObject({
      code: 3,
      err: expect.stringContaining('orders.place: version 1 is defined by both @acme/orders and @acme/orders'),
    });
    expect(await place.run('freeze', '--contracts', first, `./${first}`)).toMatchObject({ code: 0 });
  });

  test('golden records of a version that nobody defines are no test of anything', async () => {
    const place = new Workspace();
    place.write('schemas/golden/orders.place/7/a.json', { id: 1 });
    expect(await place.run('test', ...place.contracts({ 1: order() }))).toMatchObject({
      code: 1,
      out: expect.stringContaining('golden/orders.place/7: no contract package defines this version'),
    });
  });

  test('contracts that cannot be loaded, and a lock that is none', async () => {
    const place = new Workspace();
    place.write('throws.mjs', "throw new Error('broken');");
    place.write('nothing.mjs', 'export const contracts = 7;');
    const run = async (file: string) => place.run('lint', '--contracts', file);
    expect(await run('missing.mjs')).toMatchObject({ code: 3, err: expect.stringContaining('cannot be loaded') });
    expect(await run('throws.mjs')).toMatchObject({ code: 3, err: expect.stringContaining('broken') });
    expect(await run('nothing.mjs')).toMatchObject({
      code: 3,
      err: expect.stringContaining('exports no contract package'),
    });
    place.write('schemas/messages/lock.json', { schema: 'something else' });
    expect(await place.run('check', ...place.contracts({ 1: order() }))).toMatchObject({
      code: 3,
      err: expect.stringContaining('is no lock of waybill-contracts'),
    });
  });
});

describe('V08: names of a prototype are names like others', () => {
  test.each(['__proto__', 'constructor', 'prototype', 'toString'])('%s', async (name) => {
    const place = new Workspace();
    const schema = (type: string) => `{"type":"object","properties":{${JSON.stringify(name)}:{"type":"${type}"}}}`;
    place.write('text.json', schema('string'));
    place.write('number.json', schema('number'));
    place.write('required.json', `{"type":"object","required":[${JSON.stringify(name)}]}`);
    place.write('open.json', { type: 'object' });
    expect((await place.run('compare', 'text.json', 'text.json')).code).toBe(0);
    expect(await place.run('compare', 'text.json', 'number.json')).toMatchObject({
      code: 1,
      out: expect.stringContaining(`/properties/${name}`),
    });
    const { out } = await place.run('compare', 'required.json', 'open.json', '--json');
    expect(JSON.parse(out)).toMatchObject({ strict: { oldReaderReadsNew: 'no', newReaderReadsOld: 'yes' } });
  });
});

import { describe, expect, test } from 'vitest';
import { note, order, Workspace } from '../../test/workspace.ts';

describe('compare', () => {
  test('V08: prints the comparison as JSON and ends with the code of the verdict', async () => {
    const place = new Workspace();
    place.write('old.json', order());
    place.write('added.json', order({ note }));
    place.write('narrowed.json', order({ id: { type: 'integer', minimum: 1 } }));
    place.write('unknown.json', { ...(order() as object), 'x-meaning': 1 });
    const added = await place.run('compare', 'old.json', 'added.json', '--json');
    expect(added.code).toBe(0);
    const printed = JSON.parse(added.out) as Record<string, unknown>;
    expect(Object.keys(printed)).toEqual(['verdict', 'rule', 'path', 'strict', 'emitted', 'findings', 'witnesses']);
    expect(printed).toMatchObject({
      verdict: 'same-version',
      rule: 'optional-member-added',
      path: '/properties/note',
      emitted: { oldReaderReadsNew: 'yes', newReaderReadsOld: 'yes' },
    });
    expect(await place.run('compare', 'old.json', 'narrowed.json')).toMatchObject({
      code: 1,
      out: expect.stringContaining('counter-example (newReaderReadsOld, strict)') as unknown,
    });
    expect((await place.run('compare', 'old.json', 'unknown.json')).code).toBe(2);
  });

  test('V08: many pairs, a line in and a line out; a bad line hides no other', async () => {
    const place = new Workspace();
    place.write(
      'pairs.jsonl',
      [
        { id: 'a', before: order(), after: order() },
        { id: 'b', before: order(), after: {} },
        { id: 'c', before: { type: 'strin' }, after: {} },
      ]
        .map((pair) => JSON.stringify(pair))
        .join('\n'),
    );
    const { code, out } = await place.run('compare', '--pairs', 'pairs.jsonl');
    const lines = out.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toMatchObject([
      { id: 'a', verdict: 'same-version' },
      { id: 'b', verdict: 'new-version' },
      { id: 'c', error: expect.stringContaining('pairs.jsonl:3 before') as unknown },
    ]);
    expect(code).toBe(3);
  });

  test.each([
    ['nowhere.json', 'nowhere.json: cannot be read'],
    ['text.json', 'text.json: is not JSON'],
    ['external.json', 'leads out of the document'],
  ])('V08: bad input is 3, never 0: %s', async (file, message) => {
    const place = new Workspace();
    place.write('old.json', order());
    place.write('text.json', 'no json');
    place.write('external.json', { $ref: 'https://example.org/a.json' });
    expect(await place.run('compare', 'old.json', file)).toMatchObject({
      code: 3,
      err: expect.stringContaining(message) as unknown,
    });
    expect((await place.run('compare', 'old.json')).code).toBe(3);
    expect((await place.run('no-such-command')).code).toBe(3);
    expect((await place.run('--help')).code).toBe(0);
  });
});

describe('freeze and check', () => {
  test('D02: versions are frozen canonically, and again only where the edit may keep the version', async () => {
    const place = new Workspace();
    expect((await place.run('freeze', ...place.contracts({ 1: order() }))).code).toBe(0);
    expect(JSON.parse(place.read('schemas/messages/orders.place/1.json'))).toMatchObject({
      $id: 'urn:waybill:orders.place:1',
      type: 'object',
    });
    expect((await place.run('freeze', ...place.contracts({ 1: order({ note }) }))).code).toBe(0);
    expect(JSON.parse(place.read('schemas/messages/lock.json'))).toMatchObject({
      messages: { 'orders.place': { versions: { 1: { revision: 2 } } } },
    });
    const before = place.read('schemas/messages/lock.json');
    const refused = await place.run('freeze', ...place.contracts({ 1: order({ note: { type: 'number' } }) }));
    expect([refused.code, place.read('schemas/messages/lock.json')]).toEqual([1, before]);
    expect(refused.out).toContain('counter-example');
    expect(refused.out).toContain('leave this one as it is, and add the next with the upcast to it');
  });

  test('D02: what lint refuses is not frozen, since it could hardly be changed afterwards', async () => {
    const place = new Workspace();
    const silent = order({ note: { type: 'string' } });
    const { code, out } = await place.run('freeze', ...place.contracts({ 1: silent }));
    expect([code, out]).toEqual([
      1,
      expect.stringContaining('the optional member "note" does not say what its absence means') as unknown,
    ]);
    expect(out).toMatch(/; nothing was frozen$/);
    expect(await place.run('freeze', ...place.contracts({ 1: order({ note }) }))).toMatchObject({
      code: 0,
      out: 'new: messages/orders.place/1.json',
    });
  });

  test('V08: check compares with the base, computes the bump and names the missing changeset', async () => {
    const place = new Workspace();
    await place.run('freeze', ...place.contracts({ 1: order() }));
    place.git('init');
    place.git('add', '.');
    place.git('commit', '-m', 'base');
    place.git('checkout', '-b', 'work');
    const next = place.contracts({ 1: order(), 2: order({ note }) }, '{ 2: (older) => older }');
    expect(await place.run('check', ...next)).toMatchObject({
      code: 1,
      out: expect.stringContaining('refused orders.place@2: is not frozen; run waybill-contracts freeze') as unknown,
    });
    await place.run('freeze', ...next);
    const missing = await place.run('check', ...next);
    expect(missing.code).toBe(1);
    expect(missing.out).toContain("add .changeset/acme-orders-minor.md:\n---\n'@acme/orders': minor\n---");
    place.write('.changeset/some.md', "---\n'@acme/orders': minor\n---\n\nA note.\n");
    expect(await place.run('check', ...next)).toMatchObject({
      code: 0,
      out: expect.stringContaining('against main: bump minor') as unknown,
    });
    place.write('.changeset/some.md', "---\n'@acme/orders': patch\n---\n\nToo small.\n");
    expect((await place.run('check', ...next)).code).toBe(1);
  });

  test('V08: the old side comes from the ref; editing or deleting a frozen file is found', async () => {
    const place = new Workspace();
    const contracts = place.contracts({ 1: order() });
    await place.run('freeze', ...contracts);
    place.git('init');
    place.git('add', '.');
    place.git('commit', '-m', 'base');
    const file = 'schemas/messages/orders.place/1.json';
    const frozen = place.read(file);
    place.write(file, frozen.replace('integer', 'number'));
    expect(await place.run('explain', 'orders.place@1', ...contracts)).toMatchObject({
      code: 3,
      err: expect.stringContaining('is not what the lock says') as unknown,
    });
    place.write(file, frozen);
    const removed = place.contracts({ 1: order(), 2: order() }, '{ 2: (older) => older }');
    place.write('schemas/messages/lock.json', { schema: 'waybill.lock/v1', messages: {} });
    expect((await place.run('check', '--against', 'main', ...removed)).out).toContain(
      'orders.place@1: is gone; only waybill-contracts retire --evidence may remove a version',
    );
    expect(await place.run('check', '--against', 'no-such-ref', ...contracts)).toMatchObject({
      code: 3,
      err: expect.stringContaining('neither a folder, nor a tarball, nor a git ref') as unknown,
    });
  });

  test('V08: a name that comes back with another type is refused', async () => {
    const place = new Workspace();
    const contracts = place.contracts(
      { 1: order({ note }), 2: order(), 3: order({ note: { type: 'number', 'x-absent': { value: 0 } } }) },
      '{ 2: (o) => o, 3: (o) => o }',
    );
    await place.run('freeze', ...contracts);
    expect((await place.run('check', '--against', 'schemas', ...contracts)).out).toContain(
      '/note had another type in version 1 and was gone since; take a new name',
    );
  });

  test('V05: a version is removed only with the evidence of the gate, and its number never comes back', async () => {
    const place = new Workspace();
    await place.run('freeze', ...place.contracts({ 1: order({ note }), 2: order() }, '{ 2: (older) => older }'));
    place.write('red.json', {
      gate: 'retire',
      subject: 'orders.place@1',
      verdict: 'unsafe',
      blockers: [{ type: 'orders.place', version: 1, count: 3 }],
    });
    place.write('green.json', { gate: 'retire', subject: 'orders.place@1', verdict: 'safe', blockers: [] });
    expect(await place.run('retire', 'orders.place@1', '--evidence', 'red.json')).toMatchObject({
      code: 1,
      err: expect.stringContaining('the gate says "unsafe"') as unknown,
    });
    expect(await place.run('retire', 'orders.place@2', '--evidence', 'green.json')).toMatchObject({
      code: 1,
      err: expect.stringContaining('the evidence is about "orders.place@1"') as unknown,
    });
    place.write('green2.json', { gate: 'retire', subject: 'orders.place@2', verdict: 'safe', blockers: [] });
    expect(await place.run('retire', 'orders.place@2', '--evidence', 'green2.json')).toMatchObject({
      code: 1,
      err: expect.stringContaining('retire the oldest first') as unknown,
    });
    expect((await place.run('retire', 'orders.place@1', '--evidence', 'green.json')).code).toBe(0);
    expect(JSON.parse(place.read('schemas/messages/lock.json'))).toMatchObject({
      messages: { 'orders.place': { retired: { 1: { members: ['/note'] } } } },
    });
    const still = place.contracts({ 1: order({ note }), 2: order() }, '{ 2: (older) => older }');
    const remove = 'orders.place@1: is retired; remove it from the versions of the message, with its upcast';
    expect(await place.run('freeze', ...still)).toMatchObject({ code: 1, out: `${remove}; nothing was frozen` });
    expect((await place.run('check', '--against', 'schemas', ...still)).out).toContain(`refused ${remove}`);
    const reused = place.contracts({ 2: order(), 3: order({ note }) }, '{ 3: (older) => older }');
    await place.run('freeze', ...reused);
    expect((await place.run('check', '--against', 'schemas', ...reused)).out).toContain(
      '/note was a member of the retired version 1; take a new name',
    );
  });

  test('gen writes what is not frozen yet, and --check fails where a file differs', async () => {
    const place = new Workspace();
    const contracts = place.contracts({ 1: order() });
    expect((await place.run('gen', '--check', ...contracts)).code).toBe(1);
    await place.run('gen', ...contracts);
    expect((await place.run('gen', '--check', ...contracts)).code).toBe(0);
  });
});

describe('the rest', () => {
  test('lint says what to write instead', async () => {
    const place = new Workspace();
    const { code, out } = await place.run(
      'lint',
      ...place.contracts({
        1: order({ when: { type: 'string' }, all: { allOf: [{ type: 'string' }], 'x-absent': { value: 7 } } }),
      }),
    );
    expect(code).toBe(1);
    expect(out).toContain('/properties/when/x-absent: the optional member "when" does not say what its absence means');
    expect(out).toContain('Type.Composite([...]) instead of Type.Intersect');
    expect(out).toContain('/properties/all/x-absent: the value for an absent member does not satisfy its schema');
  });

  test('V07: test sends records through every step', async () => {
    const place = new Workspace();
    const versions = { 1: order(), 2: order({ id: { type: 'integer', minimum: 0 } }) };
    const contracts = place.contracts(versions, '{ 2: (older) => older }');
    expect(await place.run('test', ...contracts)).toMatchObject({
      code: 1,
      out: expect.stringContaining('returned no valid version 2') as unknown,
    });
    place.write('schemas/golden/orders.place/1/first.json', { id: 1 });
    expect((await place.run('test', ...place.contracts({ 1: order() }))).out).toContain('orders.place@1: 1 golden and');
  });

  test('manifest prints the readers and writers of a build', async () => {
    const place = new Workspace();
    const { out } = await place.run(
      'manifest',
      '--build',
      'orders@1',
      ...place.contracts({ 1: order(), 2: order() }, '{ 2: (older) => older }'),
    );
    expect(JSON.parse(out)).toEqual({
      schema: 'waybill.manifest/v1',
      build: 'orders@1',
      readers: { 'orders.place': [1, 2] },
      writers: { 'orders.place': [2] },
      destinations: [],
    });
  });

  test('docs are Markdown or AsyncAPI with a dataschema per version', async () => {
    const place = new Workspace();
    const contracts = place.contracts({ 1: order({ note }) });
    expect((await place.run('docs', ...contracts)).out).toContain(
      '| `note` | optional | string | absent: {"means":"nobody wrote one"} |',
    );
    const asyncapi = JSON.parse((await place.run('docs', '--format', 'asyncapi', ...contracts)).out) as object;
    expect(asyncapi).toMatchObject({
      asyncapi: '3.0.0',
      components: {
        messages: {
          'orders.place.v1': { headers: { properties: { 'ce-dataschema': { const: 'urn:waybill:orders.place:1' } } } },
        },
      },
    });
  });

  test('init starts a package and overwrites nothing', async () => {
    const place = new Workspace();
    expect((await place.run('init', '@acme/billing-contracts')).code).toBe(0);
    expect(JSON.parse(place.read('billing-contracts/package.json'))).toMatchObject({
      name: '@acme/billing-contracts',
      files: ['dist', 'schemas'],
    });
    expect((await place.run('init', '@acme/billing-contracts')).code).toBe(3);
  });
});

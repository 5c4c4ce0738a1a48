import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { note, order, Workspace } from '../../test/workspace.ts';

/** A repository whose branch `main` has version 1 frozen. */
async function repository(): Promise<Workspace> {
  const place = new Workspace();
  await place.run('freeze', ...place.contracts({ 1: order() }));
  place.git('init');
  place.commit('base');
  return place;
}

const withNote = (place: Workspace) => place.contracts({ 1: order({ note }) });
const narrowed = (place: Workspace) => place.contracts({ 1: order({ id: { type: 'integer', minimum: 1 } }) });

describe('V08: what check compares with', () => {
  test('by default with where the branch left main: later work on main is not blamed on the branch', async () => {
    const place = await repository();
    place.git('checkout', '-b', 'work');
    place.git('checkout', 'main');
    await place.run('freeze', ...withNote(place));
    place.commit('main goes on');
    place.git('checkout', 'work');
    const contracts = place.contracts({ 1: order() });
    expect(await place.run('check', ...contracts)).toMatchObject({ code: 0, out: 'against main: bump none' });
  });

  test('by default with the last release of the package as well', async () => {
    const place = await repository();
    place.git('tag', '@acme/orders@1.0.0');
    place.git('tag', '@acme/other@9.0.0');
    const contracts = withNote(place);
    await place.run('freeze', ...contracts);
    place.commit('not released yet, and without a changeset');
    const { code, out } = await place.run('check', ...contracts);
    expect(code).toBe(1);
    expect(out).toContain('against main: bump none');
    expect(out).toContain('against @acme/orders@1.0.0: bump minor');
    expect(out).toContain('add .changeset/acme-orders-minor.md');
    expect(out).not.toContain('@acme/other');
  });

  test('a repository of one package tags v1.0.0', async () => {
    const place = await repository();
    place.git('tag', 'v1.0.0');
    expect((await place.run('check', ...place.contracts({ 1: order() }))).out).toContain('against v1.0.0: bump none');
  });

  test('with the package as it was published, by folder or by tarball', async () => {
    const place = await repository();
    const published = mkdtempSync(join(tmpdir(), 'waybill-published-'));
    onTestFinished(() => rmSync(published, { recursive: true }));
    mkdirSync(join(published, 'package'));
    execFileSync('cp', ['-r', join(place.directory, 'schemas'), join(published, 'package')]);
    const tarball = join(published, 'orders-1.0.0.tgz');
    execFileSync('tar', ['-czf', tarball, '-C', published, 'package']);

    const contracts = narrowed(place);
    rmSync(join(place.directory, 'schemas'), { recursive: true });
    await place.run('freeze', ...contracts);
    for (const base of [join(published, 'package'), tarball]) {
      const { code, out } = await place.run('check', '--against', base, ...contracts);
      expect([code, out]).toEqual([1, expect.stringContaining('was edited: new-version (narrowed')]);
      expect(out).toContain('counter-example');
    }
  });

  test('from a folder inside of the repository', async () => {
    const place = new Workspace();
    const inside = place.at('packages/orders');
    await inside.run('freeze', ...inside.contracts({ 1: order() }));
    place.git('init');
    place.commit('base');
    const contracts = narrowed(inside);
    rmSync(join(inside.directory, 'schemas'), { recursive: true });
    await inside.run('freeze', ...contracts);
    expect((await inside.run('check', ...contracts)).out).toContain('was edited: new-version');
  });
});

describe('V08: a base that is not there is 3, never 0', () => {
  test.each([
    ['no-such-ref', 'is neither a folder, nor a tarball, nor a git ref here'],
    ['missing.tgz', 'is not there, or no tarball of a package'],
    ['broken.tgz', 'is not there, or no tarball of a package'],
    ['nothing', 'holds no frozen schemas'],
    ['unrelated', 'has no common history with HEAD'],
  ])('%s', async (base, message) => {
    const place = await repository();
    place.write('broken.tgz', 'no tarball');
    place.git('checkout', '--orphan', 'unrelated');
    place.commit('another beginning');
    place.git('checkout', 'main');
    place.write('nothing/README.md', 'nothing is frozen here');
    const { code, err } = await place.run('check', '--against', base, ...place.contracts({ 1: order() }));
    expect([code, err]).toEqual([3, expect.stringContaining(message)]);
  });

  test('outside of a repository, and where there is no main', async () => {
    const place = new Workspace();
    const contracts = place.contracts({ 1: order() });
    await place.run('freeze', ...contracts);
    expect(await place.run('check', ...contracts)).toMatchObject({
      code: 3,
      err: expect.stringContaining('no branch main'),
    });
  });

  test('in a shallow clone, which hides where the branch began and what was released', async () => {
    const origin = await repository();
    origin.git('tag', 'v1.0.0');
    origin.git('checkout', '-b', 'work');
    origin.write('more.txt', 'work');
    origin.commit('work');
    const clones = mkdtempSync(join(tmpdir(), 'waybill-shallow-'));
    onTestFinished(() => rmSync(clones, { recursive: true }));
    const clone = (name: string, ...options: readonly string[]) => {
      execFileSync('git', [
        'clone',
        '--quiet',
        '--depth',
        '1',
        ...options,
        `file://${origin.directory}`,
        join(clones, name),
      ]);
      return new Workspace(join(clones, name));
    };
    const hint = expect.stringContaining('this is a shallow clone, fetch the whole history with its tags') as unknown;
    const branch = clone('branch', '--branch', 'work');
    const contracts = branch.contracts({ 1: order() });
    expect(await branch.run('check', ...contracts)).toMatchObject({ code: 3, err: hint });
    expect(await branch.run('check', '--against', 'v1.0.0', ...contracts)).toMatchObject({ code: 3, err: hint });
    const both = clone('both', '--no-single-branch', '--branch', 'work');
    expect(await both.run('check', '--against', 'origin/main', ...both.contracts({ 1: order() }))).toMatchObject({
      code: 3,
      err: hint,
    });
    const main = clone('main', '--branch', 'main', '--no-tags');
    expect(await main.run('check', ...main.contracts({ 1: order() }))).toMatchObject({ code: 3, err: hint });
  });
});

describe('V08: the bump and its changeset', () => {
  test.each([
    ['an annotation', { 1: order({ id: { type: 'integer', title: 'Number' } }) }, '{}', 'patch'],
    ['a compatible edit', { 1: order({ note }) }, '{}', 'minor'],
    ['a new version', { 1: order(), 2: order({ note }) }, '{ 2: (older) => older }', 'minor'],
  ] as const)('%s', async (_what, versions, upcast, bump) => {
    const place = await repository();
    const contracts = place.contracts(versions, upcast);
    await place.run('freeze', ...contracts);
    const { code, out } = await place.run('check', ...contracts);
    expect([code, out]).toEqual([
      1,
      expect.stringContaining(`add .changeset/acme-orders-${bump}.md:\n---\n'@acme/orders': ${bump}\n---`),
    ]);
    place.write(`.changeset/some.md`, `---\n"@acme/orders": ${bump}\n---\n\nA note.\n`);
    expect((await place.run('check', ...contracts)).code).toBe(0);
  });

  test('a retired version is major; a changeset of somebody else, or an older one, does not count', async () => {
    const place = await repository();
    const next = { 1: order(), 2: order({ note }) };
    await place.run('freeze', ...place.contracts(next, '{ 2: (older) => older }'));
    place.write('.changeset/older.md', `---\n'@acme/orders': major\n---\n\nAn older one.\n`);
    place.commit('version 2');
    place.git('checkout', '-b', 'work');
    place.write('green.json', { gate: 'retire', subject: 'orders.place@1', verdict: 'safe', blockers: [] });
    await place.run('retire', 'orders.place@1', '--evidence', 'green.json');
    const contracts = place.contracts({ 2: order({ note }) });
    place.write('.changeset/minor.md', `---\n'@acme/orders': minor\n'@acme/other': major\n---\n\nToo small.\n`);
    const { code, out } = await place.run('check', ...contracts);
    expect([code, out]).toEqual([1, expect.stringContaining('add .changeset/acme-orders-major.md')]);
    place.write('.changeset/major.md', `---\n'@acme/orders': major\n---\n\nEnough.\n`);
    expect(await place.run('check', ...contracts)).toMatchObject({
      code: 0,
      out: expect.stringContaining('bump major'),
    });
  });

  test('a release takes the changesets away and sets the version, which announces as much', async () => {
    const place = await repository();
    place.git('tag', '@acme/orders@1.0.0');
    const contracts = withNote(place);
    await place.run('freeze', ...contracts);
    expect((await place.run('check', ...contracts)).code).toBe(1);
    place.write('package.json', { name: '@acme/orders', version: '1.0.1' });
    expect((await place.run('check', ...contracts)).code).toBe(1);
    place.write('package.json', { name: '@acme/orders', version: '1.1.0-beta.0' });
    expect(await place.run('check', ...contracts)).toMatchObject({ code: 0 });
  });

  test('a changeset in pre mode, which stays until the release, counts once', async () => {
    const place = await repository();
    place.write('.changeset/pre.json', { mode: 'pre', tag: 'beta', changesets: ['first'] });
    place.write('.changeset/first.md', `---\n'@acme/orders': minor\n---\n\nIn beta.0 already.\n`);
    place.commit('1.1.0-beta.0');
    place.git('tag', '@acme/orders@1.1.0-beta.0');
    const contracts = withNote(place);
    await place.run('freeze', ...contracts);
    expect((await place.run('check', ...contracts)).code).toBe(1);
    place.write('.changeset/second.md', `\n---\n'@acme/orders': "minor" # more\n---\n\nFor beta.1.\n`);
    expect(await place.run('check', ...contracts)).toMatchObject({ code: 0 });
  });

  test.each([
    ['fixed', '@acme/other', 'minor', 0],
    ['fixed', '@acme/other', 'patch', 1],
    ['fixed', '@elsewhere/other', 'minor', 1],
    ['linked', '@acme/other', 'minor', 1],
  ] as const)('a group that is %s: %s: %s', async (kind, other, bump, expected) => {
    const place = await repository();
    place.write('.changeset/config.json', { [kind]: [['@acme/*', '!@acme/private']] });
    const contracts = withNote(place);
    await place.run('freeze', ...contracts);
    place.write('.changeset/other.md', `---\n'${other}': ${bump}\n---\n\nOf the group.\n`);
    expect((await place.run('check', ...contracts)).code).toBe(expected);
    // A linked package goes with its group only if it is released itself.
    place.write('.changeset/own.md', `---\n'@acme/orders': patch\n---\n\nOur own.\n`);
    const lifted = other === '@acme/other' && bump === 'minor';
    expect((await place.run('check', ...contracts)).code).toBe(lifted ? 0 : 1);
  });

  test('a configuration of changesets that is not JSON is 3', async () => {
    const place = await repository();
    place.write('.changeset/config.json', '{');
    expect(await place.run('check', ...place.contracts({ 1: order() }))).toMatchObject({
      code: 3,
      err: expect.stringContaining('.changeset/config.json: is not JSON'),
    });
  });

  test('a package that was renamed announces under its new name', async () => {
    const place = await repository();
    place.write('package.json', { name: '@acme/order-contracts', version: '1.0.0' });
    const contracts = withNote(place);
    await place.run('freeze', ...contracts);
    place.write('.changeset/old.md', `---\n'@acme/orders': minor\n---\n\nThe old name.\n`);
    expect(await place.run('check', ...contracts)).toMatchObject({
      code: 1,
      out: expect.stringContaining('add .changeset/acme-order-contracts-minor.md'),
    });
  });

  test('a private package announces nothing', async () => {
    const place = await repository();
    place.write('package.json', { name: '@acme/orders', version: '1.0.0', private: true });
    const contracts = withNote(place);
    await place.run('freeze', ...contracts);
    expect(await place.run('check', ...contracts)).toMatchObject({
      code: 0,
      out: expect.stringContaining('bump minor'),
    });
  });
});

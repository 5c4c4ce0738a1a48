import { type AnyMessage, createReaders, type PayloadAt, type PayloadOf, writePayload } from '@waybill/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AnnounceRelease, githubContracts, IssueChanged, ReleaseChanged, ShowPullRequest, ShowPush } from './index.ts';
import * as release1 from './release-1.ts';

const readers = createReaders([githubContracts]);

const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const word = fc.stringMatching(/^[^/\s]{1,100}$/u);
const title = fc.string({ maxLength: 200, unit: 'grapheme' });
const action = fc.stringMatching(/^[a-z_]{1,64}$/);
const commit = fc.oneof(fc.stringMatching(/^[0-9a-f]{40}$/), fc.stringMatching(/^[0-9a-f]{64}$/));
const commitOrZeros = fc.oneof(commit, fc.constant('0'.repeat(40)));
const refName = fc.stringMatching(/^\S{1,200}$/u);
const repository = fc.tuple(word, word).map(([owner, name]) => `${owner}/${name}`);
const commits = fc.array(fc.record({ id: commit, message: title }), { maxLength: 3 });
const optional = { noNullPrototype: true } as const;

const issueMembers = {
  action,
  issueId: id,
  number: id,
  repository,
  title,
  state: fc.constantFrom('open' as const, 'closed' as const),
};
const issueV1 = fc.record(
  { ...issueMembers, assignee: word },
  { ...optional, requiredKeys: ['action', 'issueId', 'number', 'repository', 'title'] },
);

const pullMembers = { action, pullRequestId: id, number: id, repository, title, from: refName, into: refName };
const pullV1 = fc.record({
  ...pullMembers,
  state: fc.constantFrom('open' as const, 'closed' as const),
  draft: fc.boolean(),
  merged: fc.boolean(),
});
const pullV2 = fc.record({
  ...pullMembers,
  state: fc.constantFrom('draft' as const, 'open' as const, 'merged' as const, 'closed' as const),
});

const pushMembers = { repositoryId: id, repository, commits, pusher: word };
const pushV1 = fc.record({
  ...pushMembers,
  ref: fc.tuple(fc.constantFrom('refs/heads/', 'refs/tags/'), refName).map(([prefix, name]) => prefix + name),
  before: commitOrZeros,
  after: commitOrZeros,
});
const pushV2 = fc.record(
  {
    ...pushMembers,
    ref: fc.record({ kind: fc.constantFrom('branch' as const, 'tag' as const), name: refName }),
    before: commit,
    after: commit,
  },
  { ...optional, requiredKeys: ['repositoryId', 'repository', 'commits', 'pusher', 'ref'] },
);

const releaseMembers = { action, releaseId: id, repository, tag: refName, title };
const releaseRequired = { ...optional, requiredKeys: ['action', 'releaseId', 'repository', 'tag'] } as const;
const releaseV1 = fc.record(
  { ...releaseMembers, prerelease: fc.boolean() },
  { ...optional, requiredKeys: [...releaseRequired.requiredKeys, 'prerelease'] },
);
const releaseV2 = fc.record(
  { ...releaseMembers, channel: fc.constantFrom('stable' as const, 'preview' as const) },
  { ...optional, requiredKeys: [...releaseRequired.requiredKeys, 'channel'] },
);

const announcementMembers = { releaseId: id, tag: refName, url: refName.map((path) => `https://example.org/${path}`) };
const announcementV1 = fc.record({ ...announcementMembers, repository });
const announcementV2 = fc.record({ ...announcementMembers, repository: fc.record({ owner: word, name: word }) });

/** Whatever release 1 may have written, release 2 reads as a valid payload of version 2. */
function upcastsAre<M extends AnyMessage>(message: M, written: fc.Arbitrary<PayloadOf<M>>): void {
  fc.assert(
    fc.property(written, (payload) => {
      const { version, text } = writePayload(message, payload);
      const read = readers.read({ type: message.type, version, payload: text });
      expect(read).toMatchObject({ status: 'ok', writtenVersion: 1, version: 2, applied: ['2<-1'] });
    }),
  );
}

/** A payload that release 2 wrote down as version 1 is the same again when it is read. */
function downcastsAre<M extends AnyMessage>(message: M, newest: fc.Arbitrary<PayloadOf<M>>): void {
  fc.assert(
    fc.property(newest, (payload) => {
      const { version, text } = writePayload(message, payload, 1);
      const read = readers.read({ type: message.type, version, payload: text });
      expect(read).toMatchObject({ status: 'ok', writtenVersion: 1, version: 2 });
      expect(read.status === 'ok' ? read.payload : undefined).toEqual(payload);
    }),
  );
}

describe('V07: every valid version 1 becomes a valid version 2', () => {
  test('issues', () => upcastsAre(release1.IssueChanged, issueV1));
  test('pull requests', () => upcastsAre(release1.ShowPullRequest, pullV1));
  test('pushes', () => upcastsAre(release1.ShowPush, pushV1));
  test('releases', () => upcastsAre(release1.ReleaseChanged, releaseV1));
  test('announcements', () => upcastsAre(release1.AnnounceRelease, announcementV1));
});

describe('V07: where there is a downcast, nothing is lost on the way to version 1 and back', () => {
  test('pull requests', () => downcastsAre(ShowPullRequest, pullV2));
  test('pushes', () => downcastsAre(ShowPush, pushV2));
  test('releases', () => downcastsAre(ReleaseChanged, releaseV2));
  test('announcements', () => downcastsAre(AnnounceRelease, announcementV2));

  test('an issue has none, since a second assignee has no place in version 1', () => {
    const issue: PayloadAt<typeof IssueChanged.versions, 2> = {
      action: 'assigned',
      issueId: 1,
      number: 1,
      repository: 'octo-org/hello-world',
      title: 'Two people work on this',
      assignees: ['hubot', 'octocat'],
    };
    expect(() => writePayload(IssueChanged, issue, 1)).toThrow(
      expect.objectContaining({ code: 'CTR_DOWNCAST_MISSING' }),
    );
  });
});

describe('W26: the meaning of an upcast', () => {
  test.each([
    [{ state: 'open', draft: false, merged: false }, 'open'],
    [{ state: 'open', draft: true, merged: false }, 'draft'],
    [{ state: 'closed', draft: false, merged: false }, 'closed'],
    [{ state: 'closed', draft: true, merged: false }, 'closed'],
    [{ state: 'closed', draft: false, merged: true }, 'merged'],
  ] as const)('the pull request flags %o mean %s', (flags, state) => {
    const v1 = {
      action: 'edited',
      pullRequestId: 1,
      number: 1,
      repository: 'o/n',
      title: '',
      from: 'a',
      into: 'b',
      ...flags,
    };
    expect(ShowPullRequest.upcast[2](v1)).toMatchObject({ state });
    expect(ShowPullRequest.upcast[2](v1)).not.toHaveProperty('merged');
  });

  test('a ref that comes into being has no commit before, one that goes has none after', () => {
    const zeros = '0'.repeat(40);
    const sha = 'a'.repeat(40);
    const push = { repositoryId: 1, repository: 'o/n', commits: [], pusher: 'octocat', ref: 'refs/tags/v1/rc' };
    expect(ShowPush.upcast[2]({ ...push, before: zeros, after: sha })).toEqual({
      repositoryId: 1,
      repository: 'o/n',
      commits: [],
      pusher: 'octocat',
      ref: { kind: 'tag', name: 'v1/rc' },
      after: sha,
    });
    expect(ShowPush.upcast[2]({ ...push, before: sha, after: zeros })).not.toHaveProperty('after');
  });
});

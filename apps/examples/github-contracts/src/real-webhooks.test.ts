import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AnyMessage, createReaders, type PayloadOf, recordKeyOf, writePayload } from '@waybill/contracts';
import { describe, expect, test } from 'vitest';
import * as release2 from './index.ts';
import * as release1 from './release-1.ts';

const FOLDERS = ['api.github.com', 'ghes-31', 'ghes-32', 'ghes-33', 'ghes-34', 'ghes-35'];

/** Every real payload of one event, with a name for the test's report. */
function realPayloads<Webhook>(event: string): readonly { readonly name: string; readonly webhook: Webhook }[] {
  const require = createRequire(import.meta.url);
  return FOLDERS.flatMap((folder) => {
    const text = readFileSync(require.resolve(`@octokit/webhooks-examples/${folder}/index.json`), 'utf8');
    // The files are in this form; that the examples have the members which are read is what this test is about.
    const definitions = JSON.parse(text) as readonly { readonly name: string; readonly examples: readonly Webhook[] }[];
    const examples = definitions.find((definition) => definition.name === event)?.examples ?? [];
    return examples.map((webhook, index) => ({ name: `${folder} ${event} #${index + 1}`, webhook }));
  });
}

/** Writes with one release and reads with another, as the outbox would store it. */
function travel<M extends AnyMessage>(
  message: M,
  payload: PayloadOf<M>,
  readers: ReturnType<typeof createReaders>,
): unknown {
  const { version, text } = writePayload(message, payload);
  const read = readers.read({ type: message.type, version, payload: text });
  expect(read).toMatchObject({ status: 'ok' });
  return read.status === 'ok' ? read.payload : undefined;
}

const newer = createReaders([release2.githubContracts]);
const older = createReaders([release1.githubContracts]);

describe('D02: every real payload of GitHub becomes a valid message, in both releases', () => {
  const issues = realPayloads<release2.IssuesWebhook>('issues');
  test.each(issues)('$name', ({ webhook }) => {
    const written = release2.issueChanged(webhook);
    expect(travel(release2.IssueChanged, written, newer)).toEqual(written);
    expect(recordKeyOf(release2.IssueChanged, written)).toBe(`Issue/${webhook.issue.id}`);

    const before = release1.issueChanged(webhook);
    expect(travel(release1.IssueChanged, before, older)).toEqual(before);
    expect(recordKeyOf(release1.IssueChanged, before)).toBe(`Issue/${webhook.issue.id}`);
    // The real payloads have one assignee at most, so nothing that release 2 says is missing from release 1.
    expect(travel(release1.IssueChanged, before, newer)).toEqual(written);
  });

  const pullRequests = realPayloads<release2.PullRequestWebhook>('pull_request');
  test.each(pullRequests)('$name', ({ webhook }) => {
    const written = release2.showPullRequest(webhook);
    expect(travel(release2.ShowPullRequest, written, newer)).toEqual(written);
    expect(recordKeyOf(release2.ShowPullRequest, written)).toBe(`PullRequest/${webhook.pull_request.id}`);

    const before = release1.showPullRequest(webhook);
    expect(travel(release1.ShowPullRequest, before, older)).toEqual(before);
    expect(travel(release1.ShowPullRequest, before, newer)).toEqual(written);
  });

  const pushes = realPayloads<release2.PushWebhook>('push');
  test.each(pushes)('$name', ({ webhook }) => {
    const written = release2.showPush(webhook);
    expect(travel(release2.ShowPush, written, newer)).toEqual(written);
    expect(recordKeyOf(release2.ShowPush, written)).toBe(`Repository/${webhook.repository.id}`);

    const before = release1.showPush(webhook);
    expect(travel(release1.ShowPush, before, older)).toEqual(before);
    expect(travel(release1.ShowPush, before, newer)).toEqual(written);
  });

  const releases = realPayloads<release2.ReleaseWebhook>('release');
  test.each(releases)('$name', ({ webhook }) => {
    const written = release2.releaseChanged(webhook);
    expect(travel(release2.ReleaseChanged, written, newer)).toEqual(written);
    expect(recordKeyOf(release2.ReleaseChanged, written)).toBe(`Release/${webhook.release.id}`);

    const before = release1.releaseChanged(webhook);
    expect(travel(release1.ReleaseChanged, before, older)).toEqual(before);
    expect(travel(release1.ReleaseChanged, before, newer)).toEqual(written);
  });

  test.each(releases.filter(({ webhook }) => webhook.action === 'published'))('$name is announced', ({ webhook }) => {
    const written = release2.announceRelease(webhook);
    const before = release1.announceRelease(webhook);
    if (written === undefined || before === undefined) throw new TypeError('a published release must be announced');
    expect(travel(release2.AnnounceRelease, written, newer)).toEqual(written);
    expect(travel(release1.AnnounceRelease, before, older)).toEqual(before);
    expect(travel(release1.AnnounceRelease, before, newer)).toEqual(written);
    expect(recordKeyOf(release2.AnnounceRelease, written)).toBe(`Release/${webhook.release.id}`);
  });

  test('only a published release is announced', () => {
    const others = releases.filter(({ webhook }) => webhook.action !== 'published');
    expect(others.length).toBeGreaterThan(0);
    expect(others.map(({ webhook }) => release2.announceRelease(webhook))).toEqual(others.map(() => undefined));
  });

  test('all payloads of the chosen events were read', () => {
    expect([issues.length, pullRequests.length, pushes.length, releases.length]).toEqual([50, 46, 14, 20]);
  });
});

describe('W26: each release reads what it can, by the version of the record', () => {
  test('V01: the older release says which pairs it reads, and calls version 2 unknown', () => {
    expect(older.capabilities.map(({ version }) => version)).toEqual([1, 1, 1, 1, 1]);
    expect(newer.capabilities).toHaveLength(10);
    const text = '{}';
    expect(older.read({ type: release1.IssueChanged.type, version: 2, payload: text })).toMatchObject({
      status: 'unknown-version',
    });
  });

  test('both releases agree on names, kinds and events', () => {
    const identity = ({ type, kind, event }: AnyMessage): unknown => ({ type, kind, event });
    expect(release1.githubContracts.messages.map(identity)).toEqual(release2.githubContracts.messages.map(identity));
  });
});

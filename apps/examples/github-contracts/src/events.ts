import { defineEvent, type EventRecord } from '@waybill/contracts';

/** What happens on GitHub that others react to. Each integration event of this package cites one of these records. */

export const issueChangedEvent: EventRecord = defineEvent({
  id: 'EVT-GITHUB-ISSUE-CHANGED',
  title: 'An issue changed',
  raises: 'the issue tracker, for every `issues` webhook that it has stored',
  reactsTo: ['the activity feed shows the change', 'assignees are notified'],
});

export const pullRequestChangedEvent: EventRecord = defineEvent({
  id: 'EVT-GITHUB-PULL-REQUEST-CHANGED',
  title: 'A pull request changed',
  raises: 'the issue tracker, for every `pull_request` webhook that it has stored',
  reactsTo: ['the review board moves the pull request to the column of its state'],
});

export const pushedEvent: EventRecord = defineEvent({
  id: 'EVT-GITHUB-PUSHED',
  title: 'Commits or tags were pushed',
  raises: 'the code host, for every `push` webhook that it has stored',
  reactsTo: ['the list of branches and tags follows the repository'],
});

export const releaseChangedEvent: EventRecord = defineEvent({
  id: 'EVT-GITHUB-RELEASE-CHANGED',
  title: 'A release was made, edited or withdrawn',
  raises: 'the code host, for every `release` webhook that it has stored',
  reactsTo: ['the download page lists what is released'],
});

import { defineEvent, type EventRecord } from '@waybill/contracts';

/** What happens on GitHub that others react to. Each integration event of this package cites one of these records. */

export const issueChangedEvent: EventRecord = defineEvent({
  id: 'EVT-GITHUB-ISSUE-CHANGED',
  title: 'An issue changed',
  raises: 'the issue tracker, for every `issues` webhook that it has stored',
  reactsTo: ['the activity feed shows the change', 'assignees are notified'],
});

export const releaseChangedEvent: EventRecord = defineEvent({
  id: 'EVT-GITHUB-RELEASE-CHANGED',
  title: 'A release was made, edited or withdrawn',
  raises: 'the code host, for every `release` webhook that it has stored',
  reactsTo: ['the download page lists what is released'],
});

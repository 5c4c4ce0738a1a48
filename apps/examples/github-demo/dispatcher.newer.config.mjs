// The build of the rollout: release 2 of the contracts, so it reads versions 1 and 2.
import { defineDispatcher, handle, publish } from '@waybill/dispatcher';
import { httpWebhook } from '@waybill/transports/http-webhook';
import {
  AnnounceRelease,
  githubContracts,
  IssueChanged,
  ReleaseChanged,
  ShowPullRequest,
  ShowPush,
} from '@waybill-examples/github-contracts';
import { drawPullRequest, drawPush } from './dist/projection/board.js';

const receiver = httpWebhook({
  name: 'receiver',
  url: process.env.GITHUB_DEMO_RECEIVER_URL,
  secrets: [process.env.GITHUB_DEMO_RECEIVER_SECRET],
  allowPrivateNetwork: true, // the receiver of the demo listens on 127.0.0.1
});

export default defineDispatcher({
  build: 'github-dispatcher@2.0.0',
  contracts: [githubContracts],
  routes: [
    publish(IssueChanged, { to: receiver }),
    publish(ReleaseChanged, { to: receiver }),
    publish(AnnounceRelease, { to: receiver }),
    handle(ShowPullRequest, drawPullRequest),
    handle(ShowPush, drawPush),
  ],
  // Far shorter than in earnest, so that a story with a crash and a rollback fits into half a minute.
  // Two cores carry the database, two services and several dispatchers at once.
  workers: { concurrency: 8 },
  database: { poolSize: 8 },
  lease: { leaseMs: 3_000, renewEveryMs: 1_000 },
  retry: { baseMs: 50, capMs: 1_000 },
  polling: { busyMs: 20, idleMs: 100 },
  health: { port: 0 },
});

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type {
  IssuesWebhook,
  PullRequestWebhook,
  PushWebhook,
  ReleaseWebhook,
} from '@waybill-examples/github-contracts';

/** One real webhook of GitHub, with the name of its event. */
export type Webhook =
  | { readonly event: 'issues'; readonly body: IssuesWebhook }
  | { readonly event: 'pull_request'; readonly body: PullRequestWebhook }
  | { readonly event: 'push'; readonly body: PushWebhook }
  | { readonly event: 'release'; readonly body: ReleaseWebhook };

export type WebhookEvent = Webhook['event'];

const EVENTS: ReadonlySet<string> = new Set<WebhookEvent>(['issues', 'pull_request', 'push', 'release']);

/** The folders of the npm package: github.com, and five releases of GitHub Enterprise Server with their slightly different payloads. */
const FOLDERS = ['api.github.com', 'ghes-31', 'ghes-32', 'ghes-33', 'ghes-34', 'ghes-35'];

interface Definition {
  readonly name: string;
  readonly examples: readonly unknown[];
}

/** Every example of the chosen events in every folder. */
export function realWebhooks(): readonly Webhook[] {
  const require = createRequire(import.meta.url);
  return FOLDERS.flatMap((folder) => {
    const text = readFileSync(require.resolve(`@octokit/webhooks-examples/${folder}/index.json`), 'utf8');
    // The package publishes its files in this form; the tests of the contract package read every one of them.
    const definitions = JSON.parse(text) as readonly Definition[];
    return definitions
      .filter(({ name }) => EVENTS.has(name))
      .flatMap(({ name, examples }) => examples.map((body) => ({ event: name, body }) as Webhook));
  });
}

/** The same webhook about another issue, pull request, repository or release. */
export function aboutEntity(webhook: Webhook, id: number): Webhook {
  switch (webhook.event) {
    case 'issues':
      return { ...webhook, body: { ...webhook.body, issue: { ...webhook.body.issue, id } } };
    case 'pull_request':
      return { ...webhook, body: { ...webhook.body, pull_request: { ...webhook.body.pull_request, id } } };
    case 'push':
      return { ...webhook, body: { ...webhook.body, repository: { ...webhook.body.repository, id } } };
    case 'release':
      return { ...webhook, body: { ...webhook.body, release: { ...webhook.body.release, id } } };
  }
}

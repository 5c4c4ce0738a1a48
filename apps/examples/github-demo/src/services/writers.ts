import type { Arrival } from '../input/traffic.ts';
import type { WebhookEvent } from '../input/webhooks.ts';
import type { ContractRelease, Handled, Service } from './service.ts';

/** The two services of the story. */
export interface Services {
  readonly tracker: Service;
  readonly codeHost: Service;
}

/** How a stretch of the story is written. */
export interface Writing {
  /** How many webhooks each service handles at once. */
  readonly concurrency: number;
  /** Which release of the service answers a webhook: side by side during a rollout, so it may differ from one to the next. */
  readonly releaseOf: (arrival: Arrival) => ContractRelease;
  readonly onHandled: (handled: Handled) => void;
  readonly signal: AbortSignal;
}

const SERVICE_OF: Readonly<Record<WebhookEvent, keyof Services>> = {
  issues: 'tracker',
  pull_request: 'tracker',
  push: 'codeHost',
  release: 'codeHost',
};

/** Hands every arrival to its service, several at a time, and returns when all are handled. */
export async function write(services: Services, arrivals: readonly Arrival[], writing: Writing): Promise<void> {
  const queueOf = (name: keyof Services): Arrival[] =>
    arrivals.filter(({ webhook }) => SERVICE_OF[webhook.event] === name);
  await Promise.all([
    workOff(services.tracker, queueOf('tracker'), writing),
    workOff(services.codeHost, queueOf('codeHost'), writing),
  ]);
}

async function workOff(service: Service, queue: readonly Arrival[], writing: Writing): Promise<void> {
  const waiting = queue.values();
  const worker = async (): Promise<void> => {
    // The workers share one iterator, so each arrival is taken once.
    for (const arrival of waiting) {
      writing.signal.throwIfAborted();
      writing.onHandled(await service.handle(arrival, writing.releaseOf(arrival)));
    }
  };
  await Promise.all(Array.from({ length: writing.concurrency }, worker));
}

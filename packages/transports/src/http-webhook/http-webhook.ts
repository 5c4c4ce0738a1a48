import type { TransportOutcome } from '@waybill/contracts';
import { buildConnector, Pool } from 'undici';
import { httpEvent } from '../cloudevents/index.ts';
import { trackInFlight } from '../in-flight.ts';
import { notSent, publishInOrder } from '../publish-in-order.ts';
import { openWindow, type PublishWindow } from '../publish-window.ts';
import type { OutgoingMessage, Transport } from '../transport.ts';
import { classifyFailure } from './classify-failure.ts';
import { classifyAnswer } from './classify-response.ts';
import { exchange } from './exchange.ts';
import { guardedLookup } from './guarded-lookup.ts';
import type { HttpWebhookOptions } from './options.ts';
import { probeConnection } from './probe-connection.ts';
import { type RequestContent, requestHeaders } from './request-headers.ts';
import { type HttpWebhookSettings, parseOptions } from './settings.ts';

/**
 * Posts each message to one URL, signed by the rules of Standard Webhooks.
 *
 * A 2xx status is `accepted`; 408, 425, 429 and 5xx are `retry` (with `Retry-After` as `afterMs`, within a day); 3xx, 410
 * (class `gone`) and other 4xx are `refused`. A failure before the first byte left is `retry`, a later one is `unknown`.
 * The message id goes out as `webhook-id`, the same on every attempt: a receiver tells repeats by it.
 *
 * @throws TransportError `TRN_OPTIONS_INVALID` naming every problem of the options.
 */
export function httpWebhook(options: HttpWebhookOptions): Transport {
  const settings = parseOptions(options);
  const connector = buildConnector({
    timeout: settings.connectTimeoutMs,
    lookup: guardedLookup(settings.resolveHost, settings.guard),
    ...(settings.ca === undefined ? {} : { ca: settings.ca }),
  });
  const pool = new Pool(settings.url.origin, {
    connect: connector,
    connections: settings.concurrency,
    pipelining: 1, // a connection carries one request at a time, so a lost one leaves one message unknown
    headersTimeout: settings.headersTimeoutMs,
    bodyTimeout: settings.headersTimeoutMs,
  });
  const inFlight = trackInFlight(settings.name);

  return {
    name: settings.name,
    capabilities: {
      dedup: 'none',
      dedupWindowMs: null,
      ordering: 'record-key',
      maxBatch: settings.concurrency,
      partialResults: true,
      maxBytes: settings.maxBytes,
    },
    publish: (batch, context) =>
      inFlight.run(async () => {
        const window = openWindow(context, settings.now);
        try {
          return await publishInOrder(batch, { window, maxBytes: settings.maxBytes }, (message) =>
            post(pool, message, settings, window),
          );
        } finally {
          window.dispose();
        }
      }),
    probe: (signal) => probeConnection(connector, settings.url, signal),
    close: () => inFlight.close(() => pool.destroy()),
  };
}

async function post(
  pool: Pool,
  message: OutgoingMessage,
  settings: HttpWebhookSettings,
  window: PublishWindow,
): Promise<TransportOutcome> {
  const content = requestContent(message, settings);
  const result = await exchange(
    pool,
    {
      path: settings.url.pathname + settings.url.search,
      headers: requestHeaders(message, content, settings, settings.wallNow()),
      body: content.body,
    },
    window,
  );
  switch (result.status) {
    case 'answered':
      return classifyAnswer(result, settings.retryStatuses, settings.wallNow());
    case 'failed':
      return classifyFailure(result);
    case 'ended':
      return endedOutcome(result.sent, window);
  }
}

function requestContent(message: OutgoingMessage, { cloudEvents }: HttpWebhookSettings): RequestContent {
  if (cloudEvents) return httpEvent(message, cloudEvents);
  return { contentType: 'application/json', body: message.body, headers: {} };
}

function endedOutcome(sent: boolean, window: PublishWindow): TransportOutcome {
  const end = window.ended() ?? 'deadline'; // the timer may be a fraction of a millisecond early
  return sent ? { outcome: 'unknown', class: end } : notSent(end);
}

import type { Dispatcher } from 'undici';
import type { PublishWindow } from '../publish-window.ts';
import type { FailedExchange } from './classify-failure.ts';
import type { Answer } from './classify-response.ts';

/** What is posted. */
export interface WebhookRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How one request ended: the receiver answered, the connection failed, or the time for sending was over first. */
export type Exchange =
  | ({ readonly status: 'answered' } & Answer)
  | ({ readonly status: 'failed' } & FailedExchange)
  | { readonly status: 'ended'; readonly sent: boolean };

/** An answer's body is only read so that its connection can be used again; a longer one is not worth that. */
export const RESPONSE_BODY_LIMIT_BYTES: number = 16 * 1024;

/**
 * Posts one request and follows it on the level where undici says when the first byte leaves.
 * Nothing is sent twice, and nothing after the window has ended.
 */
export function exchange(dispatcher: Dispatcher, request: WebhookRequest, window: PublishWindow): Promise<Exchange> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | null = null;
    let answer: Exchange | null = null;
    let bodyBytes = 0;

    const settle = (exchange: Exchange): void => {
      window.signal.removeEventListener('abort', end);
      // Once the status line is there, what happens to the rest of the answer changes nothing.
      resolve(answer ?? exchange);
    };
    const end = (): void => {
      const sent = controller !== null;
      settle({ status: 'ended', sent });
      controller?.abort(new Error('the time for sending is over'));
    };
    window.signal.addEventListener('abort', end, { once: true });

    dispatcher.dispatch(
      { path: request.path, method: 'POST', headers: { ...request.headers }, body: request.body },
      {
        // Runs right before the first byte is written, however long the request waited for a connection.
        onRequestStart(started) {
          const again = controller !== null;
          if (again || window.ended() || window.signal.aborted) {
            settle({ status: 'ended', sent: again });
            started.abort(new Error('the time for sending is over'));
            return;
          }
          controller = started;
        },
        onResponseStart(_, statusCode, headers) {
          const retryAfter = [headers['retry-after']].flat()[0];
          if (statusCode >= 200) answer = { status: 'answered', statusCode, retryAfter };
        },
        onResponseData(_, chunk) {
          bodyBytes += chunk.length;
          if (bodyBytes > RESPONSE_BODY_LIMIT_BYTES) controller?.abort(new Error('the body of the answer is too long'));
        },
        onResponseEnd() {
          settle({ status: 'failed', sent: true, error: new Error('an answer without a status') });
        },
        onResponseError(_, error) {
          settle({ status: 'failed', sent: controller !== null, error });
        },
      },
    );
  });
}

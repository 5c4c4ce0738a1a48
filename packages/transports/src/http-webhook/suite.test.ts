import {
  type HeldMessage,
  startHttpReceiver,
  startTcpProxy,
  type TransportTarget,
  transportSuite,
} from '@waybill/testkit';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { httpWebhook } from './http-webhook.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const AUTHORIZATION = 'Bearer right';

async function startTarget(): Promise<TransportTarget> {
  let refuses = false;
  const held: HeldMessage[] = [];
  const receiver = await startHttpReceiver(({ headers, body }) => {
    if (headers['authorization'] !== AUTHORIZATION) return { status: 401 };
    if (refuses) return { status: 422 };
    held.push({ id: headers['webhook-id'] ?? '', body });
    return { status: 204 };
  });
  const line = await startTcpProxy(receiver.port);
  const open = async (authorization: string) =>
    httpWebhook({
      url: `http://127.0.0.1:${line.port}/hook`,
      secrets: [SECRET],
      headers: { authorization },
      allowPrivateNetwork: true,
    });
  const lineFault = (mode: 'slow' | 'down' | 'cut-request' | 'cut-answer' | 'hold-answer') => async () => {
    await line.become(mode);
    return () => line.become('pass');
  };
  return {
    open: () => open(AUTHORIZATION),
    openUnauthorized: () => open('Bearer wrong'),
    held: async () => [...held],
    forget: async () => {
      held.length = 0;
      receiver.forget();
    },
    slow: lineFault('slow'),
    faults: {
      down: lineFault('down'),
      'request-cut': lineFault('cut-request'),
      'answer-cut': lineFault('cut-answer'),
      'answer-held': lineFault('hold-answer'),
      hangs: { notApplicable: 'a request may take a new connection; one that let a deadline pass is cut' },
      refuses: async () => {
        refuses = true;
        return async () => {
          refuses = false;
        };
      },
    },
    stop: async () => {
      await line.stop();
      await receiver.stop();
    },
  };
}

transportSuite({ describe, test, beforeAll, afterAll }, 'http-webhook', startTarget, {
  leakMessages: Number(process.env['WAYBILL_SUITE_MESSAGES'] ?? 500),
});

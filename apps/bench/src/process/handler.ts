import { Agent, request } from 'node:http';
import type { Handle } from '../contender/contender.ts';
import type { Sample } from '../load/sample.ts';
import type { Counter } from './tally.ts';

/** What a handler does: nothing, a millisecond of waiting, or an HTTP post to this URL. */
export type Work =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'post'; readonly url: string };

/** The same handler for every contender. */
export function countingHandler(work: Work, counter: Counter): Handle {
  const act = actionOf(work);
  return async (sample) => {
    counter.begin(sample);
    await act(sample);
    counter.end(sample);
  };
}

function actionOf(work: Work): (sample: Sample) => Promise<void> {
  switch (work.kind) {
    case 'nothing':
      return () => Promise.resolve();
    case 'wait':
      return () => new Promise((resolve) => setTimeout(resolve, work.ms));
    case 'post': {
      const agent = new Agent({ keepAlive: true });
      return (sample) => post(work.url, agent, JSON.stringify(sample));
    }
  }
}

function post(url: string, agent: Agent, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', resolve);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

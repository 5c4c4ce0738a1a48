import { pullGateFacts, type Store } from '@waybill/store';
import type { Logger } from 'pino';
import type { PullWorker } from '../config/settings.ts';
import type { ChooseDrainMode } from '../loop/drain-modes.ts';
import type { Consumer } from './consumers.ts';
import { evaluateGate, type PullGate } from './evaluate.ts';
import type { Evidence } from './evidence.ts';

/** What the flag and the gate make of each other. Pure. */
export function drainModeOf(flag: PullWorker, gate: Pick<PullGate, 'verdict'>): 'pull' | 'batch' {
  // A gate that cannot tell is not green.
  return flag !== 'off' && gate.verdict === 'safe' ? 'pull' : 'batch';
}

/** Decides by the flag and the gate, and says why: one line per change, with the items that are red. */
export function chooseModeBy(parts: {
  readonly flag: PullWorker;
  readonly store: Store;
  readonly evidence: () => Promise<Evidence | null>;
  readonly consumers: readonly Consumer[];
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Told of each look, for the gauge. */
  readonly onGate: (gate: PullGate) => void;
}): ChooseDrainMode {
  let told = '';
  return async () => {
    const { flag, store, consumers, logger } = parts;
    const facts = { evidence: await parts.evidence(), consumers, store: await pullGateFacts(store) };
    const gate = evaluateGate(facts);
    parts.onGate(gate);
    const mode = drainModeOf(flag, gate);
    const red = gate.items.filter(({ state }) => state !== 'green').map(({ id, why }) => `${id}: ${why ?? ''}`);
    const line = JSON.stringify([mode, red]);
    if (line !== told && mode === 'batch' && flag !== 'off')
      logger[flag === 'on' ? 'warn' : 'info'](
        { red },
        'the gate of the pull workers is not green; one batch drainer runs instead',
      );
    if (line !== told && gate.override !== null)
      logger.warn({ red, override: gate.override }, 'pull workers run on the responsibility of an operator');
    told = line;
    return { mode, skips: mode === 'pull' ? gate.scopedOut.map(({ type }) => type) : [] };
  };
}

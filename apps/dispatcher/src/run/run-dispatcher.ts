import type { Writable } from 'node:stream';
import type { Readers } from '@waybill/contracts';
import { EXIT, type ExitCode } from '../cli/exit-code.ts';
import type { LoadedDispatcher } from '../config/load.ts';
import type { ProcessEvents } from './stop.ts';

export async function runDispatcher(
  _d: LoadedDispatcher & { readers: Readers },
  _h: { events: ProcessEvents; log: Writable },
): Promise<ExitCode> {
  await Promise.resolve();
  return EXIT.ok;
}

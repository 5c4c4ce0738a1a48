import type { NotOpen } from '@waybill/store';
import { EXIT, type ExitCode } from './exit-code.ts';

/** Why an operator's action on a dead message did nothing. */
export function notOpenText(id: string, result: NotOpen): string {
  switch (result.status) {
    case 'not-found':
      return `there is no message ${id}`;
    case 'not-dead':
      return `${id} is ${result.state}, nothing was done`;
    case 'discarded':
      return `${id} was discarded by ${result.by} at ${result.at.toISOString()}, nothing was done`;
  }
}

export function exitOfNotOpen({ status }: NotOpen): ExitCode {
  return status === 'not-found' ? EXIT.notFound : EXIT.refused;
}

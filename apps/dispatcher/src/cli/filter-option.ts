import { DEAD_LETTER_REASONS, OUTBOX_STATES } from '@waybill/contracts';
import type { DeadLetterFilter, RecordFilter } from '@waybill/store';
import { InvalidArgumentError, Option } from 'commander';
import { oneOf, parseCount, parseInstant } from './arguments.ts';

/** What can be filtered by: each name with the part of the filter that its value makes. */
type FilterTerms<Filter> = Readonly<Record<string, (value: string) => Filter>>;

const CONTRACT_TERMS = {
  type: (type: string) => ({ type }),
  version: (value: string) => ({ version: parseCount(value) }),
  key: (recordKey: string) => ({ recordKey }),
};

const ENQUEUED_TERMS = {
  'enqueued-after': (value: string) => ({ enqueuedAfter: parseInstant(value) }),
  'enqueued-before': (value: string) => ({ enqueuedBefore: parseInstant(value) }),
};

export const DEAD_LIST_TERMS: FilterTerms<RecordFilter> = { ...CONTRACT_TERMS, ...ENQUEUED_TERMS };

export const MESSAGE_TERMS: FilterTerms<RecordFilter> = {
  state: (value) => ({ state: oneOf(OUTBOX_STATES, value) }),
  ...DEAD_LIST_TERMS,
};

export const REPLAY_TERMS: FilterTerms<DeadLetterFilter> = {
  reason: (value) => ({ reason: oneOf(DEAD_LETTER_REASONS, value) }),
  ...CONTRACT_TERMS,
  'failed-after': (value) => ({ failedAfter: parseInstant(value) }),
  'failed-before': (value) => ({ failedBefore: parseInstant(value) }),
};

/** `--filter type=shop.order-placed --filter key=Order/7`: all that is given must hold. */
export function filterOption<Filter extends object>(terms: FilterTerms<Filter>): Option {
  return new Option(
    '--filter <name=value>',
    `which messages; give it once for each of ${Object.keys(terms).join(', ')}`,
  ).argParser((term: string, known: Filter | undefined): Filter => {
    const [, name = '', value = ''] = /^([a-z-]+)=(.+)$/su.exec(term) ?? [];
    const parse = Object.hasOwn(terms, name) ? terms[name] : undefined;
    if (parse === undefined)
      throw new InvalidArgumentError(`expected NAME=VALUE with one of ${Object.keys(terms).join(', ')}.`);
    const part = parse(value);
    const twice = Object.keys(part).some((member) => known !== undefined && Object.hasOwn(known, member));
    if (twice) throw new InvalidArgumentError(`${name} is given twice.`);
    // The terms of a table make parts of one filter.
    return Object.assign({}, known, part);
  });
}

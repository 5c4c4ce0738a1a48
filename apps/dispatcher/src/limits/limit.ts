import { isRecord } from '../config/path.ts';
import { mismatch, shown } from '../config/problem.ts';
import { BOUNDS } from '../metrics/catalogue.ts';

/** What a use case expects of delivery, as `limits/*.json` has it. Alert rules are made from it. */
export interface Limit {
  readonly id: string;
  /** Who needs it, and for what. */
  readonly useCase: string;
  /** The share of messages that has to be accepted in time, below 1. */
  readonly objective: number;
  /** In time: from the enqueue to the acceptance. One of the buckets of the latency. */
  readonly withinSeconds: number;
  /** Over how many days the share is meant. */
  readonly windowDays: number;
  /** Names of transports, or of message types that a function handles; `*` alone: all of them. */
  readonly destinations: readonly string[];
  readonly alerts: {
    /** The label `severity` of what cannot wait until the morning. */
    readonly page: string;
    /** The label `severity` of what can. */
    readonly ticket: string;
    /** Where to look what to do. */
    readonly runbook?: string;
  };
}

interface Member {
  readonly path: string;
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const isName = (value: unknown): boolean => typeof value === 'string' && /^[A-Za-z0-9*][\w.*-]{0,127}$/.test(value);
const isWhole = (value: unknown, min: number, max: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;

const MEMBERS: readonly Member[] = [
  {
    path: 'id',
    expected: 'a name of letters, digits, _ and -',
    accepts: (value) => isText(value) && /^[A-Za-z][\w-]{0,63}$/.test(String(value)),
  },
  { path: 'useCase', expected: 'a sentence', accepts: isText },
  {
    path: 'objective',
    expected: 'a share from 0.5 to below 1',
    accepts: (value) => typeof value === 'number' && value >= 0.5 && value < 1,
  },
  {
    path: 'withinSeconds',
    expected: `one of the buckets of the latency (${BOUNDS.latency.join(', ')})`,
    accepts: (value) => BOUNDS.latency.includes(Number(value)) && typeof value === 'number',
  },
  // Below a week the shortest burn windows are a large part of the whole.
  { path: 'windowDays', expected: 'a whole number from 7 to 90', accepts: (value) => isWhole(value, 7, 90) },
  {
    path: 'destinations',
    expected: 'a list of destinations, or ["*"]',
    accepts: (value) =>
      Array.isArray(value) && value.length > 0 && value.every(isName) && (value.length === 1 || !value.includes('*')),
  },
  { path: 'alerts.page', expected: 'the value of the label severity', accepts: isName },
  { path: 'alerts.ticket', expected: 'the value of the label severity', accepts: isName },
  {
    path: 'alerts.runbook',
    expected: 'an http(s) URL',
    accepts: (value) => value === undefined || (typeof value === 'string' && /^https?:\/\/\S+$/.test(value)),
  },
];

export type ParsedLimit =
  | { readonly limit: Limit; readonly problems: readonly [] }
  | { readonly limit: null; readonly problems: readonly string[] };

/** Checks one limit and gives every problem that it has. Pure. */
export function parseLimit(value: unknown): ParsedLimit {
  if (!isRecord(value)) return { limit: null, problems: [mismatch('limit', 'an object', shown(value))] };
  const problems = [
    ...MEMBERS.flatMap(({ path, expected, accepts }) => {
      const found = memberAt(value, path);
      return accepts(found) ? [] : [mismatch(path, expected, found === undefined ? 'nothing' : shown(found))];
    }),
    ...unknownMembers(value, ''),
    ...(isRecord(value['alerts']) ? unknownMembers(value['alerts'], 'alerts.') : []),
  ];
  // Every member of the type was checked just now.
  return problems.length === 0 ? { limit: value as unknown as Limit, problems: [] } : { limit: null, problems };
}

function memberAt(value: Readonly<Record<string, unknown>>, path: string): unknown {
  return path.split('.').reduce<unknown>((node, key) => (isRecord(node) ? node[key] : undefined), value);
}

function unknownMembers(value: Readonly<Record<string, unknown>>, prefix: string): readonly string[] {
  return Object.keys(value)
    .map((key) => `${prefix}${key}`)
    .filter((path) => !MEMBERS.some((member) => member.path === path || member.path.startsWith(`${path}.`)))
    .map((path) => `${path}: no limit has such a member`);
}

import type { Readers } from '@waybill/contracts';
import type { Route } from './route.ts';

// Node and PostgreSQL both refuse a longer one, each in its own way.
const MAX_LOCK_TIMEOUT_MS = 2 ** 31 - 1;

/** Compares the routes with what can be read. Gives every problem at once, in words for whoever wrote the configuration; none when all is well. */
export function routeProblems(routes: readonly Route[], readers: Readers): readonly string[] {
  const types = [...new Set(readers.capabilities.map(({ type }) => type))];
  return [
    ...types.flatMap((type) => missingOrDoubled(type, routes)),
    ...routes.flatMap((route) => problemsOf(route, readers).map((problem) => `${route.message.type}: ${problem}`)),
  ];
}

function missingOrDoubled(type: string, routes: readonly Route[]): readonly string[] {
  const mine = routes.filter((route) => route.message.type === type);
  if (mine.length === 0) return [`${type}: no route; every type that can be read needs exactly one`];
  if (mine.length > 1)
    return [
      `${type}: ${mine.length} routes (${mine.map(({ via }) => via).join(', ')}); one message has one destination`,
    ];
  return [];
}

function problemsOf(route: Route, readers: Readers): readonly string[] {
  const known = readers.message(route.message.type);
  if (known === undefined) return ['a route, but none of the contracts has this type'];
  const problems: string[] = [];
  if (known.newest !== route.message.newest) {
    problems.push(
      `the route was written for version ${route.message.newest}, the contracts have ${known.newest}; two copies of a contract package are installed`,
    );
  }
  if (known.kind === 'provider-side-effect' && known.idempotency === null) {
    problems.push(
      'an effect at a provider needs an idempotency contract (idempotency of defineMessage), since it may be repeated',
    );
  }
  if (known.kind === 'provider-side-effect' && route.via === 'handle') {
    problems.push(
      'handle is for effects in this database, whose transaction takes nothing back at a provider; use call, or publish',
    );
  }
  if (route.via === 'publish' && route.publishAs !== null && !(route.publishAs in known.versions)) {
    problems.push(`publishAs ${route.publishAs}, but the versions are ${Object.keys(known.versions).join(', ')}`);
  }
  if (route.via === 'handle' && !isLockTimeout(route.lockTimeoutMs)) {
    problems.push(
      `lockTimeoutMs: expected whole milliseconds from 1 to ${MAX_LOCK_TIMEOUT_MS}, got ${String(route.lockTimeoutMs)}`,
    );
  }
  return problems;
}

function isLockTimeout(ms: number): boolean {
  return Number.isInteger(ms) && ms >= 1 && ms <= MAX_LOCK_TIMEOUT_MS;
}

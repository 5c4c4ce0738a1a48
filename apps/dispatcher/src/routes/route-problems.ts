import type { Readers } from '@waybill/contracts';
import { KIND_RULES } from './kind-rules.ts';
import { optionProblems } from './option-problems.ts';
import type { Route } from './route.ts';

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
  if (known.kind !== route.message.kind) {
    problems.push(
      `the route was written for the kind ${route.message.kind}, the contracts have ${known.kind}; two copies of a contract package are installed`,
    );
  }
  const rule = KIND_RULES[known.kind];
  if (rule.idempotency !== null && known.idempotency === null) problems.push(rule.idempotency);
  const instead = rule.instead[route.via];
  if (instead !== null) problems.push(instead);
  if (route.via === 'publish' && route.publishAs !== null && !Object.hasOwn(known.versions, route.publishAs)) {
    problems.push(`publishAs ${route.publishAs}, but the versions are ${Object.keys(known.versions).join(', ')}`);
  }
  return [...problems, ...optionProblems(route)];
}

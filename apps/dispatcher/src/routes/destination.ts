import type { Route } from './route.ts';

/** What operators and limits call the place that a route leads to: the transport's name, or the type itself where a function here handles it. */
export function destinationOf(route: Route): string {
  return route.via === 'publish' ? route.to.name : route.message.type;
}

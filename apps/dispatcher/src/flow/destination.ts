import type { Route } from '../routes/route.ts';

/** How much a destination may be asked to take. */
export interface DestinationLimits {
  /** Records on their way to it at the same time, in this process. */
  readonly concurrency?: number;
  /** Records started per second, in this process; the average, with bursts of a second at most. */
  readonly perSecond?: number;
}

/**
 * The name of what a route leads to, for limits and pauses: the transport's name, or the message type where a function of this build handles it.
 */
export function destinationOf(route: Route): string {
  return route.via === 'publish' ? route.to.name : route.message.type;
}

/** Whether failures say something about what a route leads to. A handler in the database fails for reasons of its own, or with the store. */
export function canBreak(route: Route): boolean {
  return route.via !== 'handle';
}

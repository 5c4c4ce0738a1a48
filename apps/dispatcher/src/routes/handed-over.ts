import type { Route } from './route.ts';

/** The version of each type that its target or handler gets, where that is not the stored one: kept with the build, it tells how a delivery was read. */
export function handedOver(routes: readonly Route[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    routes.flatMap((route) => {
      const version = route.via === 'publish' ? route.publishAs : route.message.newest;
      return version === null ? [] : [[route.message.type, version]];
    }),
  );
}

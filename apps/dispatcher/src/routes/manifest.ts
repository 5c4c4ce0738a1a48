import type { Readers } from '@waybill/contracts';
import type { Route } from './route.ts';

/** What a build reads and may write: CI keeps it with the image, and the gates compare it with the records there are. */
export interface Manifest {
  readonly schema: 'waybill.manifest/v1';
  readonly build: string;
  readonly readers: Readonly<Record<string, readonly number[]>>;
  readonly writers: Readonly<Record<string, readonly number[]>>;
  readonly destinations: readonly string[];
}

/** Describes a dispatcher build. Everything is sorted, so that two builds can be compared as texts. */
export function manifestOf(build: string, readers: Readers, routes: readonly Route[]): Manifest {
  const types = [...new Set(readers.capabilities.map(({ type }) => type))].sort();
  const versionsOf = (type: string): readonly number[] =>
    readers.capabilities
      .flatMap((capability) => (capability.type === type ? [capability.version] : []))
      .sort((a, b) => a - b);
  // Only an in-database handler can enqueue, and then the newest version of whatever type it knows.
  const writes = routes.some(({ via }) => via === 'handle');
  return {
    schema: 'waybill.manifest/v1',
    build,
    readers: Object.fromEntries(types.map((type) => [type, versionsOf(type)])),
    writers: writes ? Object.fromEntries(types.map((type) => [type, versionsOf(type).slice(-1)])) : {},
    destinations: [...new Set(routes.flatMap((route) => (route.via === 'publish' ? [route.to.name] : [])))].sort(),
  };
}

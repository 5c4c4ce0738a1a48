import type { ContractPackage } from './definition/contract-package.ts';

/** What a build reads, writes and where it sends: the one format of `waybill-contracts manifest` and `waybill manifest`. */
export interface Manifest {
  readonly schema: 'waybill.manifest/v1';
  readonly build: string;
  readonly readers: Readonly<Record<string, readonly number[]>>;
  readonly writers: Readonly<Record<string, readonly number[]>>;
  readonly destinations: readonly string[];
}

/** The manifest of a build of some contract packages. A writer emits the newest version as soon as every reader may meet it. */
export function manifestOf(
  packages: readonly ContractPackage[],
  build: string,
  destinations: readonly string[] = [],
): Manifest {
  const messages = packages.flatMap((contracts) => contracts.messages).sort((a, b) => (a.type < b.type ? -1 : 1));
  return {
    schema: 'waybill.manifest/v1',
    build,
    readers: Object.fromEntries(messages.map((message) => [message.type, Object.keys(message.versions).map(Number)])),
    writers: Object.fromEntries(messages.map((message) => [message.type, [message.newest]])),
    destinations,
  };
}

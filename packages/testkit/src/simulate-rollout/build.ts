import type { AnyMessage, ContractPackage, Readers } from '@waybill/contracts';
import type { RolloutTarget, SimulatedManifest, VersionName, VersionsByType } from './target.ts';

/** One release: its dispatchers read, and its services write, the contracts that it was built with. */
export interface SimulatedBuild {
  readonly build: string;
  readonly contracts: readonly ContractPackage[];
}

/** A build with what follows from its contracts. */
export interface KnownBuild extends SimulatedBuild {
  readonly manifest: SimulatedManifest;
  readonly messages: readonly AnyMessage[];
  readonly readers: Pick<Readers, 'read' | 'capabilities'>;
}

export function knownBuild({ build, contracts }: SimulatedBuild, target: RolloutTarget): KnownBuild {
  const messages = contracts.flatMap((contract) => contract.messages);
  const versions = (of: (message: AnyMessage) => readonly number[]): VersionsByType =>
    Object.fromEntries(messages.map((message) => [message.type, of(message)]));
  return {
    build,
    contracts,
    messages,
    readers: target.readersOf(contracts),
    manifest: {
      build,
      readers: versions(({ versions: all }) => Object.keys(all).map(Number)),
      writers: versions(({ newest }) => [newest]),
    },
  };
}

export const reads = (versions: VersionsByType, { type, version }: VersionName): boolean =>
  Object.hasOwn(versions, type) && (versions[type] ?? []).includes(version);

export const nameOf = ({ type, version }: VersionName): string => `${type}@${String(version)}`;

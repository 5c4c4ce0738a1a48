import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { BuildManifest, VersionsByType } from '@waybill/store';
import { isRecord } from '../config/path.ts';
import { ConfigError } from '../config/problem.ts';

/** Reads the manifest of a build, as `waybill manifest` or `waybill-contracts manifest` printed it. */
export function readManifest(directory: string, file: string): BuildManifest {
  const manifest = parsed(resolve(directory, file));
  if (!isRecord(manifest) || manifest['schema'] !== 'waybill.manifest/v1' || typeof manifest['build'] !== 'string')
    throw new ConfigError('DSP_CONFIG_FILE', [`${file}: expected a manifest of schema waybill.manifest/v1`]);
  return {
    build: manifest['build'],
    readers: versionsOf(manifest['readers'], `${file}: readers`),
    writers: versionsOf(manifest['writers'], `${file}: writers`),
  };
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new ConfigError('DSP_CONFIG_FILE', [
      `${path}: expected a manifest, got ${cause instanceof Error ? cause.message : String(cause)}`,
    ]);
  }
}

function versionsOf(value: unknown, where: string): VersionsByType {
  if (isRecord(value) && Object.values(value).every(isVersions))
    // Each member was just checked.
    return value as VersionsByType;
  throw new ConfigError('DSP_CONFIG_FILE', [`${where}: expected a list of versions for each type`]);
}

function isVersions(value: unknown): boolean {
  return Array.isArray(value) && value.every((version) => Number.isInteger(version) && version >= 1);
}

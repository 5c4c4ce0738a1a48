import { readFile } from 'node:fs/promises';
import { isRecord } from '../config/path.ts';

/** What the tests of a build have shown, by requirement: passing tests, zero where one fails. */
export interface Evidence {
  readonly build: string;
  readonly date: string;
  readonly ids: Readonly<Record<string, number>>;
}

/** Shipped with the package. */
export const EVIDENCE_FILE: URL = new URL('../../evidence.json', import.meta.url);

/** Reads the evidence of this build. Null when there is none, or what is there is none: the gate is red then. */
export async function readEvidence(file: URL = EVIDENCE_FILE): Promise<Evidence | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    // A build without evidence is not an error of the program; the gate says what it means.
    return null;
  }
  return parseEvidence(text);
}

/** Pure. */
export function parseEvidence(text: string): Evidence | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(value) || value['schema'] !== 'waybill.evidence/v1' || !isRecord(value['ids'])) return null;
  const { build, date, ids } = value;
  if (typeof build !== 'string' || typeof date !== 'string') return null;
  const counts = Object.entries(ids).flatMap(([id, count]) =>
    typeof count === 'number' ? [[id, count] as const] : [],
  );
  return { build, date, ids: Object.fromEntries(counts) };
}

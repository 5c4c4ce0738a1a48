import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ContractError } from '../contract-error.ts';
import { schemaFile } from '../freeze/canonical-schema.ts';
import { LOCK_FILE, lockText, RETIRED, sha256, withMessage } from '../freeze/lock.ts';
import { memberTypes } from '../freeze/member-names.ts';
import { type SchemaTree, schemaTree } from '../freeze/schema-tree.ts';
import { isSchemaObject } from '../validation/plain-schema.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import { parseSubject } from './explain-command.ts';
import { writeBelow } from './freeze-command.ts';
import { readIfThere } from './project.ts';
import { parseJsonText, readTextFile } from './read-json-file.ts';
import { type OutputOptions, type Terminal, wantsJson } from './terminal.ts';

/**
 * `retire TYPE@V --evidence FILE`: the only way to remove a frozen version. The evidence is the JSON that `waybill gate retire TYPE@V`
 * printed: no record carries the version any more. The lock keeps the hash of the evidence, and the member names that
 * end with the version: they must not come back with another meaning.
 */
export async function retireCommand(
  terminal: Terminal,
  subject: string,
  options: OutputOptions & { readonly evidence: string; readonly schemas: string },
): Promise<ExitCode> {
  const { type, version } = parseSubject(subject);
  const end = (refusal: string | null, message: string): ExitCode => {
    if (wantsJson(options))
      terminal.print(JSON.stringify({ schema: 'waybill.retire/v1', subject, retired: refusal === null, refusal }));
    else if (refusal === null) terminal.print(message);
    if (refusal !== null) terminal.tell(message);
    return refusal === null ? EXIT_CODES.allowed : EXIT_CODES.newVersion;
  };
  const refused = (refusal: string): ExitCode => end(refusal, `${subject} is not retired: ${refusal}`);
  const evidence = await readTextFile(options.evidence, terminal.directory);
  const refusal = evidenceRefusal(parseJsonText(evidence, options.evidence), type, version);
  if (refusal !== null) return refused(refusal);
  const directory = resolve(terminal.directory, options.schemas);
  const tree = await schemaTree((file) => readIfThere(join(directory, file)), 'the work tree');
  const message = tree.lock.messages[type];
  if (message?.versions[version] === undefined)
    throw new ContractError('CTR_INPUT_UNREADABLE', `${subject}: is not frozen here`);
  const versions = Object.fromEntries(Object.entries(message.versions).filter(([other]) => other !== String(version)));
  const older = Object.keys(versions).filter((other) => Number(other) < version);
  if (older.length > 0) return refused(`version ${older.join(', ')} is read through it; retire the oldest first`);
  const members = await namesThatEnd(tree, type, version, Object.keys(versions).map(Number));
  const retired = { ...message.retired, [version]: { evidenceSha256: sha256(evidence), members } };
  await writeBelow(directory, LOCK_FILE, lockText(withMessage(tree.lock, type, { versions, retired })));
  await rm(join(directory, schemaFile(type, version)));
  return end(null, `${subject} ${RETIRED}`);
}

/** The member names that no version has any more. */
async function namesThatEnd(
  tree: SchemaTree,
  type: string,
  version: number,
  live: readonly number[],
): Promise<readonly string[]> {
  const schemas = await Promise.all(live.map((other) => tree.schema(type, other)));
  const kept = new Set(schemas.flatMap((schema) => [...memberTypes(schema).keys()]));
  return [...memberTypes(await tree.schema(type, version)).keys()].filter((name) => !kept.has(name));
}

function evidenceRefusal(evidence: unknown, type: string, version: number): string | null {
  if (!isSchemaObject(evidence) || evidence['gate'] !== 'retire')
    return 'the evidence is not the JSON of waybill gate retire';
  if (evidence['subject'] !== `${type}@${version}`)
    return `the evidence is about ${JSON.stringify(evidence['subject'] ?? null)}`;
  if (evidence['verdict'] !== 'safe') return `the gate says ${JSON.stringify(evidence['verdict'])}`;
  return Array.isArray(evidence['blockers']) && evidence['blockers'].length > 0
    ? 'the evidence lists records that still carry the version'
    : null;
}

import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ContractError } from '../contract-error.ts';
import { schemaFile } from '../freeze/canonical-schema.ts';
import { LOCK_FILE, lockText, sha256, withMessage } from '../freeze/lock.ts';
import { memberTypes } from '../freeze/member-names.ts';
import { type SchemaTree, schemaTree } from '../freeze/schema-tree.ts';
import { isSchemaObject } from '../validation/plain-schema.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import { parseSubject } from './explain-command.ts';
import { writeBelow } from './freeze-command.ts';
import { readIfThere } from './project.ts';
import { parseJsonText, readTextFile } from './read-json-file.ts';
import type { Terminal } from './terminal.ts';

/**
 * `retire TYPE@V --evidence FILE`: the only way to remove a frozen version. The evidence is the JSON that `waybill gate retire TYPE@V`
 * printed: no record carries the version any more. The lock keeps the hash of the evidence, and the member names that
 * end with the version: they must not come back with another meaning.
 */
export async function retireCommand(
  terminal: Terminal,
  subject: string,
  options: { readonly evidence: string; readonly schemas: string },
): Promise<ExitCode> {
  const { type, version } = parseSubject(subject);
  const evidence = await readTextFile(options.evidence, terminal.directory);
  const refusal = evidenceRefusal(parseJsonText(evidence, options.evidence), type, version);
  if (refusal !== null) {
    terminal.tell(`${subject} is not retired: ${refusal}`);
    return EXIT_CODES.newVersion;
  }
  const directory = resolve(terminal.directory, options.schemas);
  const tree = await schemaTree((file) => readIfThere(join(directory, file)), 'the work tree');
  const message = tree.lock.messages[type];
  if (message?.versions[version] === undefined)
    throw new ContractError('CTR_INPUT_UNREADABLE', `${subject}: is not frozen here`);
  const versions = Object.fromEntries(Object.entries(message.versions).filter(([other]) => other !== String(version)));
  const older = Object.keys(versions).filter((other) => Number(other) < version);
  if (older.length > 0) {
    terminal.tell(`${subject} is not retired: version ${older.join(', ')} is read through it; retire the oldest first`);
    return EXIT_CODES.newVersion;
  }
  const members = await namesThatEnd(tree, type, version, Object.keys(versions).map(Number));
  const retired = { ...message.retired, [version]: { evidenceSha256: sha256(evidence), members } };
  await writeBelow(directory, LOCK_FILE, lockText(withMessage(tree.lock, type, { versions, retired })));
  await rm(join(directory, schemaFile(type, version)));
  terminal.print(`retired ${subject}; remove it from the versions of the message, with its upcast`);
  return EXIT_CODES.allowed;
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
  const subject = evidence['subject'] ?? evidence['target'];
  if (subject !== undefined && subject !== `${type}@${version}`)
    return `the evidence is about ${JSON.stringify(subject)}`;
  if (evidence['verdict'] !== 'safe') return `the gate says ${JSON.stringify(evidence['verdict'])}`;
  return Array.isArray(evidence['blockers']) && evidence['blockers'].length > 0
    ? 'the evidence lists records that still carry the version'
    : null;
}

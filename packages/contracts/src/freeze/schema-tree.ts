import { checkedSchema } from '../compat/load-schema.ts';
import { ContractError } from '../contract-error.ts';
import type { JsonSchema } from '../validation/plain-schema.ts';
import { schemaFile } from './canonical-schema.ts';
import { EMPTY_LOCK, LOCK_FILE, type Lock, lockOf, sha256 } from './lock.ts';

/** Reads a file below a `schemas` folder, wherever that is: a work tree, a git commit, a tarball. Null when there is none. */
export type ReadSchemaFile = (file: string) => Promise<string | null>;

/** Frozen schemas with their lock. */
export interface SchemaTree {
  readonly lock: Lock;
  /** The frozen schema of a locked version. */
  schema(type: string, version: number): Promise<JsonSchema>;
}

/** @param name says in messages which tree is meant. An absent lock is an empty tree. */
export async function schemaTree(read: ReadSchemaFile, name: string): Promise<SchemaTree> {
  const text = await read(LOCK_FILE);
  const lock = text === null ? EMPTY_LOCK : lockOf(parsed(text, `${name} ${LOCK_FILE}`), `${name} ${LOCK_FILE}`);
  return {
    lock,
    async schema(type, version) {
      const file = schemaFile(type, version);
      const schema = await read(file);
      if (schema === null) throw new ContractError('CTR_INPUT_UNREADABLE', `${name} ${file}: is locked and missing`);
      const locked = lock.messages[type]?.versions[String(version)];
      if (sha256(schema) !== locked?.sha256)
        throw new ContractError(
          'CTR_INPUT_UNREADABLE',
          `${name} ${file}: is not what the lock says; a frozen file is never edited by hand`,
        );
      return checkedSchema(parsed(schema, `${name} ${file}`));
    },
  };
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ContractError('CTR_INPUT_UNREADABLE', `${name}: is not JSON`, [], { cause: error });
  }
}

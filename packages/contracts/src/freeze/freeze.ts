import { type Comparison, compareSchemas } from '../compat/compare.ts';
import type { AnyMessage } from '../definition/message.ts';
import { canonicalSchema, schemaFile, schemaText } from './canonical-schema.ts';
import { isRetired, type Lock, NO_VERSIONS, sha256, withMessage } from './lock.ts';
import type { SchemaTree } from './schema-tree.ts';

/** A frozen version that code would change in a way that needs a new version, or about which nothing is proved. */
export interface RefusedEdit {
  readonly type: string;
  readonly version: number;
  readonly comparison: Comparison;
}

/** The file of one version. */
interface FrozenFile {
  readonly message: AnyMessage;
  readonly version: number;
  readonly file: string;
  readonly text: string;
  readonly change: 'new' | 'edited';
}

/** What freezing would write, decided before anything is written. */
export interface FreezePlan {
  readonly files: readonly FrozenFile[];
  readonly refused: readonly RefusedEdit[];
  /** Versions that the code still has, as type@version. Frozen again, their numbers would get a second meaning. */
  readonly retired: readonly string[];
  readonly lock: Lock;
}

/** Plans to freeze every version of the messages: new ones as they are, edits of frozen ones only where the version may stay. */
export async function planFreeze(messages: readonly AnyMessage[], tree: SchemaTree): Promise<FreezePlan> {
  const files: FrozenFile[] = [];
  const refused: RefusedEdit[] = [];
  const retired: string[] = [];
  let { lock } = tree;
  for (const message of messages) {
    for (const version of Object.keys(message.versions).map(Number)) {
      if (isRetired(lock, message.type, version)) {
        retired.push(`${message.type}@${version}`);
        continue;
      }
      const schema = canonicalSchema(message.type, version, message.versions[version] ?? {});
      const text = schemaText(schema);
      const locked = lock.messages[message.type]?.versions[version];
      if (locked?.sha256 === sha256(text)) continue;
      if (locked !== undefined) {
        const comparison = compareSchemas(await tree.schema(message.type, version), schema);
        if (comparison.verdict !== 'same-version') {
          refused.push({ type: message.type, version, comparison });
          continue;
        }
      }
      const change = locked === undefined ? 'new' : 'edited';
      files.push({ message, version, file: schemaFile(message.type, version), text, change });
      lock = withVersion(lock, message.type, version, { sha256: sha256(text), revision: (locked?.revision ?? 0) + 1 });
    }
  }
  return { files, refused, retired, lock };
}

function withVersion(
  lock: Lock,
  type: string,
  version: number,
  locked: { readonly sha256: string; readonly revision: number },
): Lock {
  const message = lock.messages[type] ?? NO_VERSIONS;
  return withMessage(lock, type, { ...message, versions: { ...message.versions, [version]: locked } });
}

import { type Comparison, compareSchemas } from '../compat/compare.ts';
import type { AnyMessage } from '../definition/message.ts';
import { canonicalSchema, schemaFile, schemaText } from './canonical-schema.ts';
import { type Lock, NO_VERSIONS, sha256, withMessage } from './lock.ts';
import type { SchemaTree } from './schema-tree.ts';

/** A frozen version that code would change in a way that needs a new version, or about which nothing is proved. */
export interface RefusedEdit {
  readonly type: string;
  readonly version: number;
  readonly comparison: Comparison;
}

/** What freezing would write, decided before anything is written. */
export interface FreezePlan {
  readonly files: readonly { readonly file: string; readonly text: string; readonly change: 'new' | 'edited' }[];
  readonly refused: readonly RefusedEdit[];
  readonly lock: Lock;
}

/** Plans to freeze every version of the messages: new ones as they are, edits of frozen ones only where the version may stay. */
export async function planFreeze(messages: readonly AnyMessage[], tree: SchemaTree): Promise<FreezePlan> {
  const files: { file: string; text: string; change: 'new' | 'edited' }[] = [];
  const refused: RefusedEdit[] = [];
  let { lock } = tree;
  for (const message of messages) {
    for (const version of Object.keys(message.versions).map(Number)) {
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
      files.push({ file: schemaFile(message.type, version), text, change: locked === undefined ? 'new' : 'edited' });
      lock = withVersion(lock, message.type, version, { sha256: sha256(text), revision: (locked?.revision ?? 0) + 1 });
    }
  }
  return { files, refused, lock };
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

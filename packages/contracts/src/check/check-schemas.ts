import { type Comparison, compareSchemas } from '../compat/compare.ts';
import type { AnyMessage } from '../definition/message.ts';
import { canonicalSchema, schemaFile, schemaText } from '../freeze/canonical-schema.ts';
import { isRetired, type Lock, RETIRED, sha256 } from '../freeze/lock.ts';
import { memberTypes } from '../freeze/member-names.ts';
import type { SchemaTree } from '../freeze/schema-tree.ts';
import type { Bump } from './bump.ts';

/** Something that a check found about one version. `comparison` where two schemas were compared. */
export interface CheckFinding {
  readonly type: string;
  readonly version: number;
  /** `refused` where a new version is not what helps; the message says what does. */
  readonly verdict: 'allowed' | 'refused' | 'new-version' | 'cannot-prove';
  readonly bump: Bump;
  readonly message: string;
  readonly comparison?: Comparison;
}

/** Code against the frozen schemas of the same work tree: every version is frozen, and as the code has it. */
export function checkFrozen(messages: readonly AnyMessage[], lock: Lock): readonly CheckFinding[] {
  return messages.flatMap((message) =>
    Object.keys(message.versions)
      .map(Number)
      .flatMap((version) => {
        const locked = lock.messages[message.type]?.versions[version];
        const text = schemaText(canonicalSchema(message.type, version, message.versions[version] ?? {}));
        if (locked?.sha256 === sha256(text)) return [];
        const problem = isRetired(lock, message.type, version)
          ? RETIRED
          : locked === undefined
            ? 'is not frozen; run waybill-contracts freeze'
            : `differs from ${schemaFile(message.type, version)}; run waybill-contracts freeze, which says whether it may`;
        return [{ type: message.type, version, verdict: 'refused' as const, bump: 'none' as const, message: problem }];
      }),
  );
}

/** The frozen schemas of the work tree against those of a base. */
export async function checkAgainst(base: SchemaTree, now: SchemaTree): Promise<readonly CheckFinding[]> {
  const findings: CheckFinding[] = [];
  for (const [type, { versions }] of Object.entries(base.lock.messages)) {
    for (const [version, { sha256: hash }] of Object.entries(versions)) {
      const current = now.lock.messages[type];
      if (current?.retired[version] !== undefined)
        findings.push(found({ type, version: Number(version) }, 'allowed', 'major', 'is retired'));
      else if (current?.versions[version] === undefined)
        findings.push(
          found(
            { type, version: Number(version) },
            'refused',
            'major',
            'is gone; only waybill-contracts retire --evidence may remove a version',
          ),
        );
      else if (current.versions[version].sha256 !== hash)
        findings.push(
          edited(type, version, await base.schema(type, Number(version)), await now.schema(type, Number(version))),
        );
    }
  }
  for (const [type, { versions }] of Object.entries(now.lock.messages)) {
    const before = base.lock.messages[type];
    const added = Object.keys(versions).filter(
      (version) => before?.versions[version] === undefined && before?.retired[version] === undefined,
    );
    for (const version of added) findings.push(found({ type, version: Number(version) }, 'allowed', 'minor', 'is new'));
    const revived = Object.keys(versions).filter((version) => before?.retired[version] !== undefined);
    for (const version of revived)
      findings.push(
        found(
          { type, version: Number(version) },
          'refused',
          'major',
          'was retired; its number has a meaning already, so take the next one',
        ),
      );
  }
  return findings;
}

function edited(
  type: string,
  version: string,
  before: Parameters<typeof compareSchemas>[0],
  after: Parameters<typeof compareSchemas>[1],
): CheckFinding {
  const comparison = compareSchemas(before, after);
  const verdict = comparison.verdict === 'same-version' ? 'allowed' : comparison.verdict;
  const bump = comparison.rule === 'equal' ? 'patch' : 'minor';
  return {
    ...found(
      { type, version: Number(version) },
      verdict,
      bump,
      `was edited: ${comparison.verdict} (${comparison.rule} at ${comparison.path})`,
    ),
    comparison,
  };
}

function found(
  subject: { readonly type: string; readonly version: number },
  verdict: CheckFinding['verdict'],
  bump: Bump,
  message: string,
): CheckFinding {
  return { ...subject, verdict, bump, message };
}

/** Names that come back with another type after a version without them: records of the first kind may still be around. */
export async function checkReusedNames(tree: SchemaTree): Promise<readonly CheckFinding[]> {
  const findings: CheckFinding[] = [];
  for (const [type, { versions, retired }] of Object.entries(tree.lock.messages)) {
    const live = Object.keys(versions)
      .map(Number)
      .sort((a, b) => a - b);
    const members = new Map(
      await Promise.all(live.map(async (version) => [version, memberTypes(await tree.schema(type, version))] as const)),
    );
    const newest = live.at(-1);
    for (const [name, meaning] of members.get(newest ?? 0) ?? []) {
      const gap = live.slice(0, -1).findLast((version) => members.get(version)?.has(name) !== true);
      const earlier = live.findLast(
        (version) => gap !== undefined && version < gap && members.get(version)?.has(name) === true,
      );
      const before = earlier === undefined ? undefined : members.get(earlier)?.get(name);
      if (before !== undefined && before !== meaning)
        findings.push(
          found(
            { type, version: newest ?? 0 },
            'refused',
            'none',
            `${name} had another type in version ${earlier} and was gone since; take a new name`,
          ),
        );
      const buried = Object.entries(retired).find(([, { members: names }]) => names.includes(name));
      const known = live.slice(0, -1).some((version) => members.get(version)?.has(name) === true);
      if (buried !== undefined && !known)
        findings.push(
          found(
            { type, version: newest ?? 0 },
            'refused',
            'none',
            `${name} was a member of the retired version ${buried[0]}; take a new name`,
          ),
        );
    }
  }
  return findings;
}

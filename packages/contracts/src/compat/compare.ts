import { closedSchema } from '../validation/closed-schema.ts';
import { openSchema } from '../validation/open-schema.ts';
import type { JsonSchema } from '../validation/plain-schema.ts';
import type { Verdict } from '../vocabulary.ts';
import { type Containment, containment, MAX_STEPS } from './containment.ts';
import type { JsonValue } from './json-value.ts';
import { withLocalReferences } from './local-references.ts';
import { inOwnDialect } from './own-keywords.ts';
import { decide } from './rule/decide.ts';
import { editsBetween } from './rule/edits.ts';
import type { CompatibilityRule, Finding } from './rule/finding.ts';
import { schemaDocument } from './schema-document.ts';

/** Who reads whose records. */
export type Direction = 'oldReaderReadsNew' | 'newReaderReadsOld';
export type Answer = Containment['answer'];

/** A record that its writer may write and its reader refuses. */
export interface Witness {
  readonly direction: Direction;
  /** `strict`: the schemas exactly as written. `emitted`: writers emit declared members only, readers ignore unknown ones. */
  readonly under: 'strict' | 'emitted';
  readonly record: JsonValue;
}

/** What `waybill-contracts compare` prints. */
export interface Comparison {
  readonly verdict: Verdict;
  readonly rule: CompatibilityRule;
  readonly path: string;
  readonly strict: Readonly<Record<Direction, Answer>>;
  readonly emitted: Readonly<Record<Direction, Answer>>;
  readonly findings: readonly Finding[];
  readonly witnesses: readonly Witness[];
}

/** Both directions of one comparison. */
export type BothWays = Readonly<Record<Direction, Containment>>;

/**
 * Compares two schemas of one version of a message: may the edit keep the version?
 *
 * @param options.maxSteps bounds the work of each of the proofs.
 * @throws ContractError `CTR_SCHEMA_INVALID` for a schema that cannot be worked with.
 */
export function compareSchemas(
  before: JsonSchema,
  after: JsonSchema,
  options: { readonly maxSteps?: number } = {},
): Comparison {
  const [old, now] = [before, after].map((schema) => withLocalReferences(inOwnDialect(schema))) as [
    JsonSchema,
    JsonSchema,
  ];
  return compared(old, now, options.maxSteps ?? MAX_STEPS);
}

function compared(before: JsonSchema, after: JsonSchema, maxSteps: number): Comparison {
  const strict: BothWays = {
    oldReaderReadsNew: containment([after], before, maxSteps),
    newReaderReadsOld: containment([before], after, maxSteps),
  };
  const emitted: BothWays = {
    oldReaderReadsNew: containment([closedSchema(after)], openSchema(before), maxSteps),
    newReaderReadsOld: containment([closedSchema(before)], openSchema(after), maxSteps),
  };
  const edits = editsBetween(schemaDocument(before), schemaDocument(after));
  const decision = decide({ before, after, strict, emitted, edits, maxSteps });
  return {
    verdict: decision.verdict,
    rule: decision.finding.rule,
    path: decision.finding.path,
    strict: answers(strict),
    emitted: answers(emitted),
    findings: edits.findings.includes(decision.finding) ? edits.findings : [...edits.findings, decision.finding],
    witnesses: [...witnesses(strict, 'strict'), ...witnesses(emitted, 'emitted')],
  };
}

function answers(ways: BothWays): Readonly<Record<Direction, Answer>> {
  return { oldReaderReadsNew: ways.oldReaderReadsNew.answer, newReaderReadsOld: ways.newReaderReadsOld.answer };
}

function witnesses(ways: BothWays, under: Witness['under']): readonly Witness[] {
  return (['oldReaderReadsNew', 'newReaderReadsOld'] as const).flatMap((direction) => {
    const found = ways[direction];
    return found.answer === 'no' ? [{ direction, under, record: found.record }] : [];
  });
}

import { closedSchema } from '../../validation/closed-schema.ts';
import { mapSubschemas } from '../../validation/map-subschemas.ts';
import { openSchema } from '../../validation/open-schema.ts';
import type { JsonSchema } from '../../validation/plain-schema.ts';
import { PLAIN_ANNOTATIONS } from '../../validation/schema-keywords.ts';
import type { Verdict } from '../../vocabulary.ts';
import type { BothWays } from '../compare.ts';
import { type Containment, containment } from '../containment.ts';
import { canonicalText } from '../json-value.ts';
import type { Edits } from './edits.ts';
import { CONSEQUENCES, type Finding } from './finding.ts';
import { withoutMembers } from './without-members.ts';

/** All that the rule looks at. */
interface Evidence {
  readonly before: JsonSchema;
  readonly after: JsonSchema;
  readonly strict: BothWays;
  readonly emitted: BothWays;
  readonly edits: Edits;
  readonly maxSteps: number;
}
interface Decision {
  readonly verdict: Verdict;
  readonly finding: Finding;
}

/**
 * The rule for an edit of a published version, in its order: equal up to annotations; edits that always need a new version, and edits
 * about which nothing can be proved; strictly the same records; only optional members added; anything else.
 * A record that proves a "no" beats a "cannot prove".
 */
export function decide(evidence: Evidence): Decision {
  const { before, after, strict, emitted, edits } = evidence;
  if (withoutAnnotations(before) === withoutAnnotations(after) && edits.findings.length === 0)
    return same({ rule: 'equal', path: '/', message: 'equal but for annotations that carry no meaning' });
  const forbidden = edits.findings.find((finding) => CONSEQUENCES[finding.rule] === 'new-version');
  if (forbidden !== undefined) return { verdict: 'new-version', finding: forbidden };
  const unprovable = edits.findings.find((finding) => CONSEQUENCES[finding.rule] === 'cannot-prove');
  if (unprovable !== undefined)
    return refusedBy(edits.additions.length > 0 ? emitted : strict) ?? { verdict: 'cannot-prove', finding: unprovable };
  if (allYes(strict))
    return (
      refusedAsWritten(evidence) ??
      same({ rule: 'strictly-equal', path: '/', message: 'both accept exactly the same records' })
    );
  if (edits.additions.length > 0) return decideAdditions(evidence);
  return refusedBy(strict) ?? undecided('neither containment nor a counter-example was found');
}

/**
 * Where both schemas accept the same records, a counter-example under `emitted` counts only if our writers would write it: closing the
 * alternatives of a union can let through what matches two of them once opened, and a writer refuses what its own readers could not read.
 */
function refusedAsWritten({ before, after, emitted, maxSteps }: Evidence): Decision | null {
  if (allYes(emitted)) return null;
  return refusedBy({
    oldReaderReadsNew: containment([closedSchema(after), openSchema(after)], openSchema(before), maxSteps),
    newReaderReadsOld: containment([closedSchema(before), openSchema(before)], openSchema(after), maxSteps),
  });
}

function decideAdditions(evidence: Evidence): Decision {
  const { strict, emitted, edits } = evidence;
  const rest = restIsKept(evidence);
  if (rest === 'no')
    return (
      refusedBy(emitted) ??
      refusedBy(strict) ??
      undecided('more than optional members changed, and nothing about it was proved')
    );
  const clash = refusedBy(emitted);
  if (clash !== null) return { ...clash, finding: { ...clash.finding, rule: 'member-clashes' } };
  if (rest === 'unknown' || !allYes(emitted))
    return undecided('optional members were added, and it was not proved that all records stay readable');
  const added = edits.findings.find((finding) => finding.rule === 'optional-member-added');
  return same(added ?? { rule: 'optional-member-added', path: '/', message: 'only optional members were added' });
}

/** Whether everything but the added members is as it was. A closed schema may have been opened: writers emit declared members only in any case. */
function restIsKept({ before, after, edits, maxSteps }: Evidence): Containment['answer'] {
  const rest = withoutMembers(after, edits.additions);
  const answers = [
    containment([before], rest, maxSteps).answer,
    containment([openSchema(rest)], openSchema(before), maxSteps).answer,
  ];
  if (answers.includes('no')) return 'no';
  return answers.includes('unknown') ? 'unknown' : 'yes';
}

function same(finding: Finding): Decision {
  return { verdict: 'same-version', finding };
}

function undecided(message: string): Decision {
  return { verdict: 'cannot-prove', finding: { rule: 'not-provable', path: '/', message } };
}

function allYes(ways: BothWays): boolean {
  return ways.oldReaderReadsNew.answer === 'yes' && ways.newReaderReadsOld.answer === 'yes';
}

/** The decision where a record proves that one side refuses what the other writes. */
function refusedBy(ways: BothWays): Decision | null {
  const { oldReaderReadsNew: forward, newReaderReadsOld: backward } = ways;
  const refusal = forward.answer === 'no' ? forward : backward.answer === 'no' ? backward : null;
  if (refusal === null) return null;
  const rule = forward.answer !== 'no' ? 'narrowed' : backward.answer !== 'no' ? 'widened' : 'incompatible';
  const reader =
    forward.answer === 'no'
      ? 'a reader of the old schema refuses a new record'
      : 'a reader of the new schema refuses an old record';
  return {
    verdict: 'new-version',
    finding: { rule, path: refusal.refusedAt || '/', message: `${reader} at this keyword` },
  };
}

function withoutAnnotations(schema: JsonSchema): string {
  const strip = (node: JsonSchema): JsonSchema =>
    typeof node === 'boolean'
      ? node
      : mapSubschemas(
          Object.fromEntries(Object.entries(node).filter(([keyword]) => !PLAIN_ANNOTATIONS.has(keyword))),
          strip,
        );
  return canonicalText(strip(schema));
}

import type { Comparison, Direction } from '../compat/compare.ts';
import type { Verdict } from '../vocabulary.ts';

const VERDICT_SENTENCES: Readonly<Record<Verdict, string>> = {
  'same-version': 'The edit may keep the version.',
  'new-version': 'The edit needs a new version: leave this one as it is, and add the next with the upcast to it.',
  'cannot-prove': 'Nothing was proved; publish a new version, or undo the part that is named.',
};

const READER_SENTENCES: Readonly<Record<Direction, string>> = {
  oldReaderReadsNew: 'a reader of the old schema reads every new record',
  newReaderReadsOld: 'a reader of the new schema reads every old record',
};

/** Witnesses are shown whole up to this length. */
const MAX_RECORD_LENGTH = 400;

/** A comparison for people, one line at a time. */
export function describeComparison(comparison: Comparison): readonly string[] {
  const { verdict, rule, path, strict, emitted, findings, witnesses } = comparison;
  const reader = (direction: Direction) =>
    `  ${READER_SENTENCES[direction]}: ${strict[direction]} as written, ${emitted[direction]} as emitted`;
  return [
    `${verdict}: ${VERDICT_SENTENCES[verdict]}`,
    `  decided by ${rule} at ${path}`,
    reader('oldReaderReadsNew'),
    reader('newReaderReadsOld'),
    ...findings.map((finding) => `  ${finding.rule} at ${finding.path}: ${finding.message}`),
    ...witnesses.map(
      ({ direction, under, record }) =>
        `  counter-example (${direction}, ${under}): ${JSON.stringify(record).slice(0, MAX_RECORD_LENGTH)}`,
    ),
  ];
}

import type { JsonSchema } from '../validation/plain-schema.ts';
import { Evaluator } from './evaluate.ts';
import { isValid } from './evaluation.ts';
import { canonicalText, type JsonValue } from './json-value.ts';
import { Formulas } from './logic/formulas.ts';
import { Translator } from './logic/translate.ts';
import { sampleRecords } from './sample.ts';
import { schemaDocument } from './schema-document.ts';
import { Solver } from './solver/solver.ts';

/** Whether a reader accepts every record that a writer may write. A "no" comes with such a record and the reader's keyword that refuses it. */
export type Containment =
  | { readonly answer: 'yes' | 'unknown' }
  | { readonly answer: 'no'; readonly record: JsonValue; readonly refusedAt: string };

/** Steps of the solver before the answer is "unknown": about a second. A comparison of ordinary schemas takes some thousands. */
export const MAX_STEPS = 2_000_000;

/**
 * Asks whether a value exists that all the writer's schemas accept and the reader's does not. The search for a counter-example by sampling
 * runs always and apart from the proof; a record that both sides' evaluators confirm beats any proof.
 */
export function containment(
  writers: readonly JsonSchema[],
  reader: JsonSchema,
  maxSteps: number = MAX_STEPS,
): Containment {
  const writing = writers.map(schemaDocument);
  const reading = schemaDocument(reader);
  if ([reading, ...writing].some(({ dynamic }) => dynamic))
    return { answer: writers.some(isSame(reader)) ? 'yes' : 'unknown' };
  const confirm = (record: JsonValue): Containment | null => {
    if (!writing.every((document) => new Evaluator(document).accepts(document.root, record))) return null;
    const read = new Evaluator(reading).evaluate(reader, record);
    return isValid(read) ? null : { answer: 'no', record, refusedAt: read.failedAt };
  };
  const make = new Formulas();
  const written = writing.map((document, index) =>
    new Translator(document, make, `writer ${index}`).formula(document.root),
  );
  const decided = new Solver(make, maxSteps).decide([
    ...written,
    make.not(new Translator(reading, make, 'reader').formula(reader)),
  ]);
  const built = decided.status === 'found' ? confirm(decided.value) : null;
  if (built !== null) return built;
  for (const record of sampleRecords([...writing, reading])) {
    const sampled = confirm(record);
    if (sampled !== null) return sampled;
  }
  return { answer: decided.status === 'none' ? 'yes' : 'unknown' };
}

function isSame(schema: JsonSchema): (other: JsonSchema) => boolean {
  const text = canonicalText(schema);
  return (other) => canonicalText(other) === text;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The ids of the requirements, in the order of the document, each with its title. */
export type Ids = Readonly<Record<string, string>>;

/** A one-line break of the code that the tests of an id must notice. */
export interface Mutation {
  readonly id: string;
  /** The file to break, from the root of the repository. */
  readonly file: string;
  /** Text that stands in one place of the file. */
  readonly find: string;
  readonly replace: string;
  /** The test file to run; a test with the id in its title must fail. */
  readonly test: string;
}

export const ids: Ids = read('ids.json') as Ids;
/** Ids that have been reached; once here, always here. */
export const reachedFile: string = join(import.meta.dirname, 'reached.json');
export const reached: readonly string[] = read('reached.json') as readonly string[];
export const mutations: readonly Mutation[] = read('mutations.json') as readonly Mutation[];

/** The ids before the colon of a title that opens with one: `W14: ...`, `W14 W15: ...`, `Q10 finding 14: ...`. */
export function idsInTitle(title: string): readonly string[] {
  const opening = /^[A-Z]\d{2,3}\b[^:]*(?=:)/.exec(title)?.[0] ?? '';
  return opening.match(/\b[A-Z]\d{2,3}\b/g) ?? [];
}

/** Whether the id belongs to the requirements; titles may carry others, such as those of a catalogue of faults. */
export function isRequirement(id: string): boolean {
  return /^[WQDVSTOPI]\d\d$/.test(id);
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8'));
}

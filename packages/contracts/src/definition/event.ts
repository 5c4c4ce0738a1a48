import { ContractError } from '../contract-error.ts';

/** The record of a business event: what raises it, and what reacts to it. Integration events cite it by id. */
export interface EventRecord {
  readonly id: string;
  readonly title: string;
  readonly raises: string;
  readonly reactsTo: readonly string[];
}

const EVENT_ID = /^EVT-[A-Z0-9]+(-[A-Z0-9]+)*$/;

/**
 * Defines an Event record.
 *
 * @throws ContractError `CTR_DEFINITION_INVALID` with every problem.
 */
export function defineEvent(event: EventRecord): EventRecord {
  const problems = eventProblems(event);
  if (problems.length > 0)
    throw new ContractError(
      'CTR_DEFINITION_INVALID',
      `the event ${JSON.stringify(event.id)} cannot be defined:`,
      problems,
    );
  return Object.freeze({ ...event, reactsTo: Object.freeze([...event.reactsTo]) });
}

function eventProblems(event: EventRecord): readonly string[] {
  const problems: string[] = [];
  if (!EVENT_ID.test(event.id)) problems.push('id: must look like EVT-ORDER-PLACED');
  if (event.title.trim() === '') problems.push('title: must not be empty');
  if (event.raises.trim() === '') problems.push('raises: say what raises the event');
  if (event.reactsTo.length === 0)
    problems.push('reactsTo: name at least one reaction; an event that nobody reacts to needs no delivery');
  if (event.reactsTo.some((reaction) => reaction.trim() === '')) problems.push('reactsTo: must not hold empty names');
  return problems;
}

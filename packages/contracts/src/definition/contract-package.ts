import { ContractError } from '../contract-error.ts';
import type { EventRecord } from './event.ts';
import type { AnyMessage } from './message.ts';
import { messageProblems } from './message-problems.ts';

/** What a producer team publishes: its message types and the Event records that they cite. */
export interface ContractPackage {
  readonly name: string;
  readonly messages: readonly AnyMessage[];
  readonly events: readonly EventRecord[];
}

/**
 * Gathers the contracts of one package.
 *
 * @throws ContractError `CTR_PACKAGES_INVALID` with every problem: a type defined twice, an Event record that is missing or doubled.
 */
export function defineContracts(contracts: {
  readonly name: string;
  readonly messages: readonly AnyMessage[];
  readonly events?: readonly EventRecord[];
}): ContractPackage {
  const gathered = {
    name: contracts.name,
    messages: Object.freeze([...contracts.messages]),
    events: Object.freeze([...(contracts.events ?? [])]),
  };
  const problems = packageProblems(gathered);
  if (problems.length > 0)
    throw new ContractError('CTR_PACKAGES_INVALID', `the contract package ${gathered.name} is not usable:`, problems);
  return Object.freeze(gathered);
}

/** Every problem of one package; also run at start-up, since a package may come from another copy of this library. */
export function packageProblems(contracts: ContractPackage): readonly string[] {
  const eventIds = new Set(contracts.events.map((event) => event.id));
  return [
    ...(contracts.name.trim() === '' ? ['name: must not be empty'] : []),
    ...repeated(contracts.messages.map((message) => message.type)).map(
      (type) => `${type}: defined twice in ${contracts.name}`,
    ),
    ...repeated(contracts.events.map((event) => event.id)).map((id) => `${id}: defined twice in ${contracts.name}`),
    ...contracts.messages.flatMap((message) =>
      messageProblems(message).map((problem) => `${message.type}: ${problem}`),
    ),
    ...contracts.messages
      .filter((message) => message.event && !eventIds.has(message.event))
      .map((message) => `${message.type}: cites ${message.event}, which ${contracts.name} does not hold`),
  ];
}

function repeated(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}

/** Types that two packages define, both named: such a record would have two meanings, and which one cannot be known. */
export function collisions(packages: readonly ContractPackage[]): readonly string[] {
  const owners = new Map<string, ContractPackage>();
  const problems: string[] = [];
  for (const contracts of packages) {
    for (const message of contracts.messages) {
      const owner = owners.get(message.type);
      if (owner === undefined) owners.set(message.type, contracts);
      else if (owner !== contracts) problems.push(`${message.type}: ${collision(message, owner, contracts)}`);
    }
  }
  return problems;
}

function collision(message: AnyMessage, first: ContractPackage, second: ContractPackage): string {
  const others = first.messages.find((other) => other.type === message.type)?.versions ?? {};
  const shared = Object.keys(message.versions).filter((version) => version in others);
  const what = shared.length === 0 ? 'the type is defined' : `version ${shared.join(', ')} is defined`;
  return `${what} by both ${first.name} and ${second.name}`;
}

import { type KeptPause, listPauses, type Operator, type PauseSubject, pause, resume } from '@waybill/store';
import type { Command } from 'commander';
import { loadDispatcher } from '../config/load.ts';
import { destinationOf } from '../flow/destination.ts';
import type { Route } from '../routes/route.ts';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT } from './exit-code.ts';
import { addOperatorOptions, operatorOf } from './operator-options.ts';
import { conclude, print, table, tell } from './output.ts';
import type { Finish } from './program.ts';
import { unknownSubject } from './unknown-subject.ts';
import { withConfiguredStore } from './with-store.ts';

export function addDestinationsCommands(program: Command, context: CliContext, finish: Finish): void {
  const destinations = program.command('destinations').description('Pause and resume destinations and message types.');

  destinations
    .command('list')
    .description(
      'List the destinations of the configuration with their types, and what is paused, by whom and since when.',
    )
    .action(async (_options: unknown, command: Command) => {
      const { output, config } = command.optsWithGlobals<GlobalOptions>();
      const { routes } = await loadDispatcher({ ...context, file: config }, ['database.url']);
      const pauses = await withConfiguredStore(context, config, listPauses);
      const listed = destinationsOf(routes, pauses);
      print(context, output, { document: { destinations: listed, pauses }, text: () => listText(listed, pauses) });
      finish(EXIT.ok);
    });

  addSubjectCommand(
    destinations,
    'pause',
    'Claim nothing more of a destination or a type. What is in hand ends as it would.',
  ).action(async (name: string | undefined, _options: unknown, command: Command) => {
    const { output, config, subject, by } = changeOf(command, name);
    const warning = await unknownSubject(context, config, subject);
    const { status } = await withConfiguredStore(context, config, (store) => pause(store, subject, by));
    if (warning !== null) tell(context, warning);
    const exitCode = status === 'done' ? EXIT.ok : EXIT.refused;
    const text = status === 'done' ? `paused ${nameOf(subject)}` : `${nameOf(subject)} is paused already`;
    finish(conclude(context, output, exitCode, { document: { status, ...subject }, text: () => text }));
  });

  addSubjectCommand(destinations, 'resume', 'End a pause. What has waited goes on in its order.').action(
    async (name: string | undefined, _options: unknown, command: Command) => {
      const { output, config, subject, by } = changeOf(command, name);
      const result = await withConfiguredStore(context, config, (store) => resume(store, subject, by));
      const exitCode = result.status === 'done' ? EXIT.ok : EXIT.refused;
      const text = result.status === 'done' ? `resumed ${nameOf(subject)}` : `${nameOf(subject)} is not paused`;
      finish(conclude(context, output, exitCode, { document: { ...result, ...subject }, text: () => text }));
    },
  );
}

function addSubjectCommand(parent: Command, verb: string, description: string): Command {
  const command = parent
    .command(`${verb} [destination]`)
    .description(description)
    .option('--type <type>', 'a message type instead of a destination');
  return addOperatorOptions(command);
}

interface Change extends GlobalOptions {
  readonly subject: PauseSubject;
  readonly by: Operator;
}

function changeOf(command: Command, destination: string | undefined): Change {
  const { type, ...options } = command.optsWithGlobals<GlobalOptions & { readonly type?: string }>();
  return { ...options, subject: subjectOf(command, destination, type), by: operatorOf(command) };
}

function subjectOf(command: Command, destination?: string, type?: string): PauseSubject {
  if (destination !== undefined && type === undefined) return { destination };
  if (type !== undefined && destination === undefined) return { type };
  return command.error('error: give either a destination or --type');
}

const nameOf = (subject: PauseSubject): string => subject.destination ?? subject.type;

interface ListedDestination {
  readonly destination: string;
  readonly types: readonly string[];
  readonly paused: boolean;
}

function destinationsOf(routes: readonly Route[], pauses: readonly KeptPause[]): readonly ListedDestination[] {
  const names = [...new Set(routes.map(destinationOf))].sort();
  return names.map((destination) => ({
    destination,
    types: routes.flatMap((route) => (destinationOf(route) === destination ? [route.message.type] : [])).sort(),
    paused: pauses.some((paused) => paused.destination === destination),
  }));
}

function listText(destinations: readonly ListedDestination[], pauses: readonly KeptPause[]): string {
  const rows = destinations.map(({ destination, types, paused }) => [
    destination,
    paused ? 'paused' : 'open',
    types.join(', '),
  ]);
  const paused = pauses.map(({ type, destination, actor, reason, pausedAt }) => [
    type === null ? `destination ${destination ?? ''}` : `type ${type}`,
    `paused since ${pausedAt} by ${actor}: ${reason}`,
  ]);
  return [table([['DESTINATION', 'STATE', 'TYPES'], ...rows]), ...(paused.length === 0 ? [] : [table(paused)])].join(
    '\n',
  );
}

import type { DeliverySpecification } from '@waybill/contracts';
import type { Command } from 'commander';
import { loadDispatcher } from '../config/load.ts';
import { destinationOf } from '../flow/destination.ts';
import type { Route } from '../routes/route.ts';
import { checkDispatcher } from './check-dispatcher.ts';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT } from './exit-code.ts';
import { print } from './output.ts';
import type { Finish } from './program.ts';

export function addDeliverySpecCommand(program: Command, context: CliContext, finish: Finish): void {
  program
    .command('delivery-spec')
    .description('Print the delivery specifications and the consumer map as Markdown. Connects to nothing.')
    .action(async (_options: unknown, command: Command) => {
      const { output, config: file } = command.optsWithGlobals<GlobalOptions>();
      const loaded = await loadDispatcher({ ...context, file }, ['build']);
      checkDispatcher(loaded);
      const consumers = consumerMap(loaded.routes);
      print(context, output, { document: { consumers }, text: () => markdown(consumers), isFile: true });
      finish(EXIT.ok);
    });
}

/** Where the messages of one type go and what is promised about it. */
interface Consumer {
  readonly type: string;
  readonly kind: string;
  readonly via: Route['via'];
  readonly destination: string;
  readonly idempotency: { readonly class: string; readonly contract: string | null } | null;
  readonly delivery: DeliverySpecification;
}

/** Derived from the routes, so that it cannot tell of another build than this one. */
function consumerMap(routes: readonly Route[]): readonly Consumer[] {
  return routes.map(consumerOf).sort((a, b) => (a.type < b.type ? -1 : 1));
}

function consumerOf(route: Route): Consumer {
  const { type, kind, idempotency, delivery } = route.message;
  return {
    type,
    kind,
    via: route.via,
    destination: destinationOf(route),
    idempotency: idempotency === null ? null : { class: idempotency.class, contract: idempotency.contract ?? null },
    delivery,
  };
}

function markdown(consumers: readonly Consumer[]): string {
  const map = consumers.map(({ type, kind, via, destination, idempotency }) =>
    row([type, kind, via, destination, idempotency?.class ?? '', idempotency?.contract ?? '']),
  );
  return [
    '# Consumer map',
    '',
    row(['type', 'kind', 'via', 'destination', 'idempotency', 'contract']),
    row(['---', '---', '---', '---', '---', '---']),
    ...map,
    ...consumers.flatMap(specification),
  ].join('\n');
}

function specification({ type, delivery }: Consumer): readonly string[] {
  return ['', `## ${type}`, '', ...Object.entries(delivery).map(([name, value]) => `- ${name}: ${String(value)}`)];
}

/** One row of a table, whose cells may hold anything but its borders. */
function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

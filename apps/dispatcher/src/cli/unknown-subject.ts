import type { PauseSubject } from '@waybill/store';
import type { DispatcherDefinition } from '../config/define-dispatcher.ts';
import { findConfigFile, importConfigFile } from '../config/file.ts';
import { isRecord } from '../config/path.ts';
import { nearest } from '../config/suggestion.ts';
import { destinationOf } from '../flow/destination.ts';
import { isRoute } from '../routes/is-route.ts';
import type { CliContext } from './context.ts';

/**
 * A name that no route has is paused all the same, since another build may have it; but in an incident a slip of the keyboard would look like help.
 * Gives what to say about it; null where the name is known, or no configuration is at hand.
 */
export async function unknownSubject(
  { directory }: Pick<CliContext, 'directory'>,
  file: string | undefined,
  subject: PauseSubject,
): Promise<string | null> {
  const routes = await routesOf(findConfigFile(directory, file));
  if (routes.length === 0) return null;
  const [kind, name, known] =
    subject.type === undefined
      ? (['destination', subject.destination, routes.map(destinationOf)] as const)
      : (['type', subject.type, routes.map(({ message }) => message.type)] as const);
  if (known.includes(name)) return null;
  const meant = nearest(name, [...new Set(known)]);
  const advice = meant === undefined ? 'see waybill destinations list' : `did you mean ${meant}?`;
  return `warning: no route of this configuration has the ${kind} ${name}; ${advice}`;
}

async function routesOf(file: string | undefined): Promise<DispatcherDefinition['routes']> {
  const exported = file === undefined ? undefined : await importConfigFile(file);
  const routes: unknown = isRecord(exported) ? exported['routes'] : undefined;
  // An operator's file may hold no more than the address of the database, and what is wrong with it must not stand in the way of a pause.
  return Array.isArray(routes) ? routes.filter(isRoute) : [];
}

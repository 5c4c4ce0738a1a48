import type { ContractPackage } from '@waybill/contracts';
import type { DestinationLimits } from '../flow/destination.ts';
import type { Route } from '../routes/route.ts';
import type { SettingsInput } from './settings.ts';

/** What a configuration file says: the contracts that this build reads, where each message goes, and any settings. */
export interface DispatcherDefinition extends SettingsInput {
  readonly contracts: readonly ContractPackage[];
  /** Exactly one for each message type of the contracts. */
  readonly routes: readonly Route[];
  /** Limits by destination: the name of a transport, or the message type where a function of this build handles it. */
  readonly destinations?: Readonly<Record<string, DestinationLimits>>;
}

/**
 * Declares a dispatcher; the default export of `dispatcher.config.ts`. It returns its argument: nothing is checked or
 * started before the program resolves the environment over it.
 *
 * @example
 * export default defineDispatcher({
 *   build: 'orders-dispatcher@1.4.0',
 *   contracts: [ordersContracts],
 *   routes: [publish(OrderPlaced, { to: httpWebhook({ url, secrets }) })],
 * });
 */
export function defineDispatcher(definition: DispatcherDefinition): DispatcherDefinition {
  return definition;
}

import { createReaders, type Readers } from '@waybill/contracts';
import type { LoadedDispatcher } from '../config/load.ts';
import { limitProblems } from '../flow/limit-problems.ts';
import { RouteError } from '../routes/route-error.ts';
import { routeProblems } from '../routes/route-problems.ts';

/**
 * Makes the readers of a dispatcher and compares its routes with them, before anything connects.
 * @throws ContractError `CTR_PACKAGES_INVALID`, RouteError `DSP_ROUTES_INVALID`
 */
export function checkDispatcher({ contracts, routes, destinations }: LoadedDispatcher): Readers {
  const readers = createReaders(contracts);
  const problems = [...routeProblems(routes, readers), ...limitProblems(destinations, routes)];
  if (problems.length > 0) throw new RouteError(problems);
  return readers;
}

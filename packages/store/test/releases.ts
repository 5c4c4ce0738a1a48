/** Two releases of a build, for tests of gates: the newer one reads what both write. */
import { ParcelMoved } from './messages.ts';

export const TYPE = ParcelMoved.type;
export const OLD = { build: 'old', readers: { [TYPE]: [1] }, writers: { [TYPE]: [1] } };
export const NEW = { build: 'new', readers: { [TYPE]: [1, 2] }, writers: { [TYPE]: [2] } };
/** Both versions of the type, as a registry of contracts knows them. */
export const VERSIONS = [1, 2].map((version) => ({ type: TYPE, version, kind: ParcelMoved.kind }));
/** Long after the test. */
export const LATER = new Date(Date.now() + 3_600_000);

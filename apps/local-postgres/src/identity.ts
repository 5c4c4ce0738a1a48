/** Whom the server runs as, in the form that `spawn` takes; empty means: as ourselves. */
export interface Identity {
  readonly uid?: number;
  readonly gid?: number;
}

/** The user `nobody` of every Linux system that knows the name. */
const NOBODY = 65_534;

/** PostgreSQL refuses to run as root, so that for root it runs as `nobody`. */
export function serverIdentity(uid: number | undefined = process.getuid?.()): Identity {
  return uid === 0 ? { uid: NOBODY, gid: NOBODY } : {};
}

import { nameOf, reads } from '../build.ts';
import type { VersionName, VersionsByType } from '../target.ts';

/** Chosen so that no sum of the passages of time that schedules use falls near a limit. */
export const HEARTBEAT_MS = 21_000;
export const LEASE_MS = 60_000;
/** "A silent dispatcher goes on to count for twelve of its heartbeats, at least 30 s." */
const COUNTS_MS = 12 * HEARTBEAT_MS;
/** "A dispatcher that missed a heartbeat soon stops to vouch for what it reads": three of them. */
const VOUCHES_MS = 3 * HEARTBEAT_MS;

export interface RegisteredDispatcher {
  readonly id: string;
  readonly build: string;
  readonly reads: VersionsByType;
  seenAt: number;
  left: boolean;
}

export interface Declaration {
  readonly id: string;
  readonly build: string;
  readonly reads: VersionsByType;
  until: number;
}

interface Pin {
  readonly version: number;
  readonly percent: number;
}

/** Who may be asked to read what is written, and what operators have decided: the registry as its documentation tells it. */
export class Registry {
  now = 0;
  readonly dispatchers: RegisteredDispatcher[] = [];
  readonly declarations: Declaration[] = [];
  readonly pins: Map<string, Pin> = new Map();
  readonly retired: Set<string> = new Set();
  /** Until when a version may be written anyway. */
  readonly overrides: Map<string, number> = new Map();
  /** Versions that somebody has registered or written, by name. */
  readonly known: Map<string, VersionName> = new Map();

  know(name: VersionName): void {
    this.known.set(nameOf(name), { type: name.type, version: name.version });
  }

  /** As it is now, for a transaction that sees no more. */
  snapshot(): Registry {
    const copy = new Registry();
    copy.now = this.now;
    copy.dispatchers.push(...this.dispatchers.map((dispatcher) => ({ ...dispatcher })));
    copy.declarations.push(...this.declarations.map((declaration) => ({ ...declaration })));
    for (const [type, pin] of this.pins) copy.pins.set(type, pin);
    for (const name of this.retired) copy.retired.add(name);
    for (const [name, until] of this.overrides) copy.overrides.set(name, until);
    return copy;
  }

  openDeclarations(): readonly Declaration[] {
    return this.declarations.filter(({ until }) => until > this.now);
  }

  get everRegistered(): boolean {
    return this.dispatchers.length > 0 || this.declarations.length > 0;
  }

  /** Surely running, and reads it. */
  hasReader(name: VersionName): boolean {
    return this.dispatchers.some(
      (dispatcher) => !dispatcher.left && this.now - dispatcher.seenAt < VOUCHES_MS && reads(dispatcher.reads, name),
    );
  }

  /** The builds that cannot read a version although they have a say about its type; `nobody` where no build has ever known the type. */
  blockers(name: VersionName): readonly string[] {
    const knows = ({ reads: versions }: { readonly reads: VersionsByType }): boolean =>
      Object.hasOwn(versions, name.type);
    const declared = this.openDeclarations().filter(knows);
    const ever = this.dispatchers.filter(knows);
    const running = ever.filter(({ left, seenAt }) => !left && this.now - seenAt < COUNTS_MS);
    const lastSeen = Math.max(...ever.map(({ seenAt }) => seenAt));
    const standing = running.length > 0 ? running : ever.filter(({ seenAt }) => seenAt > lastSeen - COUNTS_MS);
    if (standing.length === 0 && declared.length === 0) return this.everRegistered ? ['nobody'] : [];
    return [...standing, ...declared].filter((party) => !reads(party.reads, name)).map(({ build }) => build);
  }

  /** Whether some key may be written in a version; `anyway`: an operator's word to that end counts. */
  mayBeWritten(name: VersionName, anyway: boolean = false): boolean {
    const pin = this.pins.get(name.type);
    const pinnedBelow =
      pin !== undefined && (name.version > pin.version || (name.version === pin.version && pin.percent === 0));
    if (this.retired.has(nameOf(name)) || pinnedBelow) return false;
    return (anyway && this.isOverridden(name)) || this.blockers(name).length === 0;
  }

  isOverridden(name: VersionName): boolean {
    return (this.overrides.get(nameOf(name)) ?? 0) > this.now;
  }

  /** Whether a key may be written in a version; `place` is that of the key in a ramp. */
  allows(name: VersionName, place: number, anyway: boolean): boolean {
    const pin = this.pins.get(name.type);
    const ceiling = pin === undefined ? Infinity : place < pin.percent ? pin.version : pin.version - 1;
    if (this.retired.has(nameOf(name)) || name.version > ceiling) return false;
    return (anyway && this.isOverridden(name)) || this.blockers(name).length === 0;
  }
}

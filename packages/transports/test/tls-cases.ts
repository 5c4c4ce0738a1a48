import type { TransportOutcome } from '@waybill/contracts';
import { type CertificateAuthority, createCertificateAuthority, withProgram } from '@waybill/local-servers';
import { testMessage } from '@waybill/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProbeResult, Transport } from '../src/transport.ts';
import { startPlainServer } from './plain-server.ts';

/** How a transport comes to its server. */
export interface TlsAccess {
  readonly host: string;
  readonly port: number;
  /** The authority to trust; undefined: those that Node trusts. */
  readonly ca: string | undefined;
  readonly password: string;
}

/** A server that speaks TLS alone and lets one user in, whose password is {@link PASSWORD}. */
export interface TlsTarget {
  readonly port: number;
  /** Ids of the messages that it holds, read by a client that has nothing to do with the transport. */
  held(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** What a transport brings to be tried over TLS. */
export interface TlsSubject {
  readonly name: string;
  /** Starts a server with a certificate for `localhost`. */
  readonly start: (authority: CertificateAuthority) => Promise<TlsTarget>;
  readonly open: (access: TlsAccess) => Transport;
  /** What a server without TLS says first, where it is the one to begin. */
  readonly greeting?: string;
  /** The class of a password that is wrong. Default `retry` of class `unauthorized`. */
  readonly unauthorized?: Readonly<Record<string, unknown>>;
  /** Starts a server with a certificate for `elsewhere.example`. Default: the other one, by its address, for which it has no certificate. */
  readonly startElsewhere?: (authority: CertificateAuthority) => Promise<Pick<TlsTarget, 'port' | 'stop'>>;
}

export const PASSWORD = 'right';
const WRONG_PASSWORD = 'hunter2';
const START_TIMEOUT_MS = 360_000;

/** Registers what holds of TLS and of passwords with every server. */
export function tlsCases(subject: TlsSubject): void {
  withProgram({ test }, 'openssl', process.env, (openssl) => {
    describe(`${subject.name} over TLS`, () => {
      let stage: Stage;
      beforeAll(async () => {
        stage = await setStage(openssl, subject);
      }, START_TIMEOUT_MS);
      afterAll(async () => {
        await stage.target.stop();
        await stage.authority.remove();
        await stage.stranger.remove();
      }, START_TIMEOUT_MS);
      defineCases(subject, () => stage);
    });
  });
}

interface Stage {
  readonly authority: CertificateAuthority;
  /** Another authority, which has signed nothing of the server's. */
  readonly stranger: CertificateAuthority;
  readonly target: TlsTarget;
  /** Publishes one message and tells what became of it, and whether the server holds it. */
  publish(access: Partial<TlsAccess>): Promise<Published>;
}

interface Published {
  readonly outcome: TransportOutcome | undefined;
  readonly probed: ProbeResult['status'];
  readonly isHeld: boolean;
}

async function setStage(openssl: string, { start, open }: TlsSubject): Promise<Stage> {
  const authority = await createCertificateAuthority(openssl);
  const stranger = await createCertificateAuthority(openssl);
  const target = await start(authority);
  const right = { host: 'localhost', port: target.port, ca: authority.certificate, password: PASSWORD };
  return {
    authority,
    stranger,
    target,
    async publish(access) {
      const transport = open({ ...right, ...access });
      const message = testMessage();
      const context = { signal: new AbortController().signal, deadline: performance.now() + 60_000 };
      const [outcome] = await transport.publish([message], context);
      const probed = await transport.probe(context.signal);
      await transport.close();
      expect(JSON.stringify([outcome, probed])).not.toContain(access.password ?? PASSWORD);
      return { outcome, probed: probed.status, isHeld: (await target.held()).includes(message.id) };
    },
  };
}

function defineCases({ name, unauthorized, greeting, startElsewhere }: TlsSubject, stage: () => Stage): void {
  test(`T01: with the authority and the password of the server a message is accepted (${name})`, async () => {
    const { outcome, probed, isHeld } = await stage().publish({});
    expect([outcome?.outcome, probed, isHeld]).toEqual(['accepted', 'reachable', true]);
  });

  test(`T01: a password that is wrong is never accepted, and not shown (${name})`, async () => {
    const { outcome, isHeld } = await stage().publish({ password: WRONG_PASSWORD });
    expect(outcome).toMatchObject(unauthorized ?? { outcome: 'retry', class: 'unauthorized' });
    expect(isHeld).toBe(false);
  });

  test(`T01: a server of an authority that is not trusted gets nothing (${name})`, async () => {
    for (const ca of [stage().stranger.certificate, undefined]) {
      const { outcome, probed, isHeld } = await stage().publish({ ca });
      expect(outcome).toMatchObject({ outcome: 'retry', class: 'tls' });
      expect([probed, isHeld]).toEqual(['unreachable', false]);
    }
  });

  test(`T01: a server whose certificate is for another name gets nothing (${name})`, async () => {
    const elsewhere = await startElsewhere?.(stage().authority);
    const { outcome, isHeld } = await stage().publish(elsewhere ? { port: elsewhere.port } : { host: '127.0.0.1' });
    expect(outcome).toMatchObject({ outcome: 'retry', class: 'tls' });
    expect(isHeld).toBe(false);
    await elsewhere?.stop();
  });

  test(`T01: a server that speaks no TLS gets no password and no message (${name})`, async () => {
    const plain = await startPlainServer(greeting);
    for (const ca of [stage().authority.certificate, undefined]) {
      const { outcome } = await stage().publish({ port: plain.port, ca });
      expect(outcome?.outcome).toBe('retry');
    }
    expect(plain.connections()).toBeGreaterThan(0);
    // The start of a handshake names the server, for a proxy in front of several.
    if (greeting === undefined) expect(plain.received()).toContain('localhost');
    expect(plain.received()).not.toMatch(new RegExp(`${PASSWORD}|test\\.message-sent`));
    await plain.stop();
  });
}

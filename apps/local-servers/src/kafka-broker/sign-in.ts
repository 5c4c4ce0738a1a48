import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/** The one user of a broker. */
export interface BrokerUser {
  readonly username: string;
  readonly password: string;
}

/** Signs one connection in: gets what the client says, step by step, and gives what it is told, or null where it is not let in. */
export type SignIn = (said: string) => string | null;

/** The ways of signing in, by the protocol's names. */
export const MECHANISMS: ReadonlyMap<string, (user: BrokerUser) => SignIn> = new Map([
  ['PLAIN', plain],
  ['SCRAM-SHA-256', (user: BrokerUser) => scram(user, 'sha256')],
  ['SCRAM-SHA-512', (user: BrokerUser) => scram(user, 'sha512')],
]);

function plain({ username, password }: BrokerUser): SignIn {
  return (said) => (said === `\0${username}\0${password}` ? '' : null);
}

const ITERATIONS = 4_096;

/** RFC 5802: the client proves that it knows the password, and then the broker does. */
function scram({ username, password }: BrokerUser, hash: 'sha256' | 'sha512'): SignIn {
  const salt = randomBytes(16);
  const ownNonce = randomBytes(16).toString('hex');
  const hmac = (key: Buffer, text: string): Buffer => createHmac(hash, key).update(text).digest();
  let opening: { readonly client: string; readonly server: string; readonly nonce: string } | null = null;

  return (said) => {
    if (!opening) {
      const client = said.slice('n,,'.length);
      const nonce = `${field(client, 'r')}${ownNonce}`;
      const server = `r=${nonce},s=${salt.toString('base64')},i=${ITERATIONS}`;
      if (!said.startsWith('n,,') || field(client, 'n') !== username) return null;
      opening = { client, server, nonce };
      return server;
    }
    const withoutProof = said.slice(0, said.lastIndexOf(',p='));
    const signed = `${opening.client},${opening.server},${withoutProof}`;
    const salted = pbkdf2Sync(password, salt, ITERATIONS, hash === 'sha256' ? 32 : 64, hash);
    const clientKey = hmac(salted, 'Client Key');
    const signature = hmac(createHash(hash).update(clientKey).digest(), signed);
    const proof = clientKey.map((byte, index) => byte ^ (signature[index] ?? 0));
    const isRight = said === `c=biws,r=${opening.nonce},p=${Buffer.from(proof).toString('base64')}`;
    return isRight ? `v=${hmac(hmac(salted, 'Server Key'), signed).toString('base64')}` : null;
  };
}

function field(text: string, name: string): string {
  return new RegExp(`(?:^|,)${name}=([^,]*)`).exec(text)?.[1] ?? '';
}

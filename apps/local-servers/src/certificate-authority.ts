import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeDirectory } from './remove-directory.ts';

/** What a server shows to clients, as files in PEM. */
export interface ServerCertificate {
  readonly certificateFile: string;
  readonly keyFile: string;
  /** Of the authority that signed it. */
  readonly authorityFile: string;
}

/** An authority that nobody trusts who was not told to. */
export interface CertificateAuthority {
  /** Its own certificate in PEM: what a client is told to trust. */
  readonly certificate: string;
  /** Signs a certificate for host names such as `localhost`. */
  issue(...names: readonly string[]): Promise<ServerCertificate>;
  /** Removes its files, those of the certificates too. */
  remove(): Promise<void>;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
const FOR_A_TEST = ['-days', '2'];

/** Makes an authority; `program` is the path of `openssl`, since Node itself signs no certificates. */
export async function createCertificateAuthority(program: string): Promise<CertificateAuthority> {
  const directory = await mkdtemp(join(tmpdir(), 'waybill-authority-'));
  const authorityFile = join(directory, 'authority.pem');
  const authorityKey = join(directory, 'authority.key');
  const sign = async (args: readonly string[]): Promise<void> => {
    await promisify(execFile)(program, ['req', '-x509', ...NEW_KEY, ...FOR_A_TEST, ...args]);
  };
  await sign(['-subj', '/CN=authority', '-keyout', authorityKey, '-out', authorityFile]);
  let issued = 0;
  return {
    certificate: await readFile(authorityFile, 'utf8'),
    async issue(...names) {
      const file = join(directory, `server-${++issued}`);
      const certificate = { certificateFile: `${file}.pem`, keyFile: `${file}.key`, authorityFile };
      await sign([
        ...['-CA', authorityFile, '-CAkey', authorityKey],
        ...['-subj', '/CN=server', '-addext', 'basicConstraints=CA:FALSE'],
        ...['-addext', `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`],
        ...['-keyout', certificate.keyFile, '-out', certificate.certificateFile],
      ]);
      return certificate;
    },
    remove: () => removeDirectory(directory),
  };
}

/** The files of a new contract package, by path. It lints, freezes and packs as it is. */
export function contractPackageFiles(name: string): Readonly<Record<string, string>> {
  return {
    'package.json': manifest(name),
    'tsconfig.json': TSCONFIG,
    'src/index.ts': source(name),
    'README.md': readme(name),
    '.gitignore': 'node_modules/\ndist/\n*.tgz\n',
  };
}

function manifest(name: string): string {
  const content = {
    name,
    version: '0.0.0',
    license: 'UNLICENSED',
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20.19' },
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './schemas/*': './schemas/*' },
    files: ['dist', 'schemas'],
    scripts: { build: 'tsc', check: 'waybill-contracts check', prepack: 'tsc' },
    // A service brings these itself; two copies would be two registries of formats.
    peerDependencies: { '@sinclair/typebox': '0.34', '@waybill/contracts': '*' },
    devDependencies: { typescript: '^6.0.0' },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

const TSCONFIG = `${JSON.stringify({ compilerOptions: { target: 'ES2023', module: 'NodeNext', strict: true, declaration: true, rootDir: 'src', outDir: 'dist' }, include: ['src'] }, null, 2)}\n`;

function source(name: string): string {
  return `import { Type } from '@sinclair/typebox';
import { defineContracts, defineEvent, defineMessage } from '@waybill/contracts';

export const SomethingHappenedEvent = defineEvent({
  id: 'EVT-SOMETHING-HAPPENED',
  title: 'Something happened',
  raises: 'say what raises it',
  reactsTo: ['say who reacts to it'],
});

export const SomethingHappened = defineMessage({
  type: 'example.something-happened',
  kind: 'integration-event',
  event: 'EVT-SOMETHING-HAPPENED',
  recordKey: (something) => \`Something/\${something.id}\`,
  versions: {
    1: Type.Object({
      id: Type.String({ format: 'uuid' }),
      note: Type.Optional(Type.String({ 'x-absent': { means: 'nobody wrote a note' } })),
    }),
  },
  delivery: {
    guarantee: 'at-least-once',
    boundary: 'say what "accepted" means at the target',
    duplicates: 'say what a consumer does with a repeated message id',
    retryHorizon: 'say for how long delivery is tried',
    recoveryOwner: 'say who repairs a dead letter',
    recordOwner: 'say who owns the records',
    status: 'draft',
    decider: 'say who decides',
    decideBy: '2099-12-31',
  },
});

export const contracts = defineContracts({ name: '${name}', messages: [SomethingHappened], events: [SomethingHappenedEvent] });
`;
}

function readme(name: string): string {
  return `# ${name}

Versioned message contracts, defined in \`src/index.ts\`. After an edit:

\`\`\`sh
npm run build
npx waybill-contracts lint    # says what to write instead
npx waybill-contracts freeze  # publishes new versions into schemas/, and refuses an edit that needs one
npx waybill-contracts test    # golden and generated records through every step
npx waybill-contracts check   # compares with main and the last release, and prints the changeset to add
\`\`\`

Commit \`schemas/\` with the code. A frozen version changes through these commands only.
`;
}

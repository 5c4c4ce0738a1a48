import { isCode, isTest } from './files.ts';
import { enforce } from './rule.ts';
import { usesOf } from './syntax.ts';

const MEMBERS = ['env', 'argv', 'argv0', 'execArgv', 'exit', 'exitCode', 'stdin', 'chdir'].map(
  (name) => `process.${name}`,
);

/** A program's entry and its configuration: the places that know that there is a process around us. */
const EDGE =
  /(^apps\/(examples\/)?[^/]+\/src\/(main[^/]*\.ts|config\/.*)|^packages\/contracts\/src\/cli\/main\.ts|\.config\.(js|mjs|ts))$/;

enforce({
  title: "D04: the environment, the arguments and the exit belong to a program's main and config",
  mend: 'Take the value as a parameter and let main or config pass it; return an outcome instead of exiting.',
  covers: (path) => isCode(path) && !isTest(path) && !EDGE.test(path),
  breaches: usesOf(new Set(MEMBERS)),
  caught: [
    { path: 'packages/store/src/x.ts', text: "const url = process.env['DATABASE_URL'];" },
    { path: 'apps/dispatcher/src/loop/x.ts', text: 'process.exit(1);' },
    { path: 'packages/contracts/src/cli/check.ts', text: 'globalThis.process.exitCode = 1;' },
    { path: 'apps/examples/github-demo/src/x.ts', text: 'const [, , name] = process.argv;' },
  ],
  allowed: [
    { path: 'apps/dispatcher/src/main.ts', text: 'process.exitCode = await run(process.argv);' },
    { path: 'apps/dispatcher/src/config/environment.ts', text: 'export const environment = process.env;' },
    { path: 'packages/contracts/src/cli/main.ts', text: 'process.exitCode = 1;' },
    { path: 'packages/store/src/x.test.ts', text: 'spawn(program, { env: process.env });' },
    { path: 'apps/dispatcher/src/x.ts', text: '// never process.exit here\nconst pid = process.pid;' },
  ],
});

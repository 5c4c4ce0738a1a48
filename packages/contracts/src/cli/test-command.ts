import { join } from 'node:path';
import { sampleRecords } from '../compat/sample.ts';
import { schemaDocument } from '../compat/schema-document.ts';
import type { AnyMessage } from '../definition/message.ts';
import { canonicalSchema } from '../freeze/canonical-schema.ts';
import { isWritable, trySteps } from '../testing/step-problems.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import { listIfThere, openProject, type Project, type ProjectOptions } from './project.ts';
import { readJsonFile } from './read-json-file.ts';
import { type Terminal, wantsJson } from './terminal.ts';

interface VersionReport {
  readonly type: string;
  readonly version: number;
  readonly goldens: number;
  readonly generated: number;
  /** Records that are others after the way to the version before and back; the older version cannot say everything. */
  readonly lossy: number;
  readonly problems: readonly string[];
}

/** `test`: golden records (`golden/<type>/<version>/*.json`) and generated ones through every step up, and back where there is a downcast. */
export async function testCommand(terminal: Terminal, options: ProjectOptions): Promise<ExitCode> {
  const project = await openProject(terminal, options);
  const reports: VersionReport[] = [];
  for (const message of project.messages)
    for (const version of Object.keys(message.versions).map(Number))
      reports.push(await testVersion(message, version, project.schemasDirectory));
  const problems = [
    ...reports.flatMap((report) => report.problems),
    ...(await strayGoldens(project)).map((folder) => `${folder}: no contract package defines this version`),
  ];
  if (wantsJson(options)) terminal.print(JSON.stringify({ schema: 'waybill.test/v1', versions: reports }));
  else {
    for (const problem of problems) terminal.print(problem);
    for (const { type, version, goldens, generated, lossy } of reports)
      terminal.print(
        `${type}@${version}: ${goldens} golden and ${generated} generated records${lossy === 0 ? '' : `, ${lossy} lose something as version ${version - 1}`}`,
      );
  }
  return problems.length === 0 ? EXIT_CODES.allowed : EXIT_CODES.newVersion;
}

/** Golden records that no version would ever read are a folder with a wrong name. */
async function strayGoldens({ messages, schemasDirectory }: Project): Promise<readonly string[]> {
  const goldens = join(schemasDirectory, 'golden');
  const known = new Set(
    messages.flatMap(({ type, versions }) => Object.keys(versions).map((version) => join(type, version))),
  );
  const types = await listIfThere(goldens);
  const folders = await Promise.all(
    types.map(async (type) => (await listIfThere(join(goldens, type))).map((version) => join(type, version))),
  );
  return folders
    .flat()
    .filter((folder) => !known.has(folder))
    .map((folder) => join('golden', folder));
}

async function testVersion(message: AnyMessage, version: number, schemasDirectory: string): Promise<VersionReport> {
  const document = schemaDocument(canonicalSchema(message.type, version, message.versions[version] ?? {}));
  const generated = [...sampleRecords([document])].filter((record) => isWritable(message, version, record));
  const folder = join(schemasDirectory, 'golden', message.type, String(version));
  const files = (await listIfThere(folder)).filter((file) => file.endsWith('.json'));
  const goldens = await Promise.all(files.map((file) => readJsonFile(file, folder)));
  const tried = [...goldens, ...generated].map((record) => ({ record, ...trySteps(message, version, record) }));
  const problems = tried.flatMap(({ record, problems: found }) =>
    found.map((problem) => `${problem} (record ${JSON.stringify(record).slice(0, 200)})`),
  );
  // A version for which nothing was tried is not a version that passed.
  if (goldens.length + generated.length === 0)
    problems.push(`${message.type}@${version}: no record could be generated; add golden records to ${folder}`);
  return {
    type: message.type,
    version,
    goldens: goldens.length,
    generated: generated.length,
    lossy: tried.filter(({ loses }) => loses).length,
    problems: [...new Set(problems)].slice(0, 10),
  };
}

import { fileVariable } from './environment.ts';
import { expectation, type SecretSetting, type Setting } from './setting.ts';
import { SETTING_ROWS } from './settings.ts';

/** The environment as a `.env` file: every variable with its meaning, commented out at its default. */
export function environmentReference(): string {
  const blocks = SETTING_ROWS.map(([path, setting]) =>
    [
      ...wrapped(`${setting.description} (${path})`, 100).map((line) => `# ${line}`),
      `# ${expectation(setting)}`,
      ...(setting.kind === 'secret' ? [`#${fileVariable(setting.env)}=`] : []),
      `#${setting.env}=${setting.default}`,
    ].join('\n'),
  );
  return `${blocks.join('\n\n')}\n`;
}

/** The reference page of all settings, in Markdown. */
export function configurationPage(): string {
  const sections = new Map<string, string[]>();
  for (const [path, setting] of SETTING_ROWS) {
    const section = path.includes('.') ? path.slice(0, path.indexOf('.')) : 'general';
    sections.set(section, [...(sections.get(section) ?? []), tableRow(path, setting)]);
  }
  const tables = [...sections].map(([section, rows]) => [`## ${section}`, '', ...TABLE_HEAD, ...rows].join('\n'));
  return `${PAGE_HEAD}\n${tables.join('\n\n')}\n`;
}

const PAGE_HEAD = `<!-- Generated from apps/dispatcher/src/config/settings.ts; a test compares. Do not edit. -->

# Configuration of the dispatcher

\`dispatcher.config.ts\` (or \`.mts\`, \`.mjs\`, \`.js\`) in the working directory, or the file that \`--config\` names, exports
\`defineDispatcher({ ... })\`. TypeScript needs no build step. Each setting is taken from the environment, else from the file,
else from its default; an empty variable counts as absent. \`waybill config check\` shows what results and from where;
\`waybill config env\` prints the variables. All problems are reported together, with exit code 2.

A secret may also stand in a file: \`WAYBILL_DATABASE_URL_FILE\` names it. Secrets are never printed.

In Kubernetes, a Service named \`waybill-...\` makes the cluster set variables such as \`WAYBILL_HEALTH_PORT=tcp://...\`:
set \`enableServiceLinks: false\` in the pod.
`;

const TABLE_HEAD = ['| setting | variable | value | default | meaning |', '| --- | --- | --- | --- | --- |'];

function tableRow(path: string, setting: Setting): string {
  const variables =
    setting.kind === 'secret' ? [setting.env, fileVariable(setting.env), ...fallbackOf(setting)] : [setting.env];
  const cells = [
    `\`${path}\``,
    variables.map((name) => `\`${name}\``).join(', '),
    expectation(setting),
    setting.default === '' ? 'none' : `\`${setting.default}\``,
    setting.description,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function fallbackOf({ fallbackEnv }: SecretSetting): readonly string[] {
  return fallbackEnv === undefined ? [] : [fallbackEnv];
}

function wrapped(text: string, width: number): readonly string[] {
  return text.split(' ').reduce<string[]>((lines, word) => {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) return [...lines, word];
    return [...lines.slice(0, -1), `${last} ${word}`];
  }, []);
}

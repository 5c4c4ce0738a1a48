import {
  checkSchema,
  type Diagnosis,
  doctor,
  type Finding,
  grantsSql,
  migrate,
  type Roles,
  type SchemaStatus,
  schemaSql,
} from '@waybill/store';
import type { Command } from 'commander';
import { loadSettings } from '../config/load.ts';
import { addBackfillCommand } from './backfill-command.ts';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT } from './exit-code.ts';
import { type Outcome, print, tell } from './output.ts';
import type { Finish } from './program.ts';
import { withStore } from './with-store.ts';

// A step may build an index on a table of a hundred million rows; it must not be cut off halfway by the limit of a claim.
const MIGRATION_TIMEOUT_MS = 6 * 3_600_000;

export function addSchemaCommands(program: Command, context: CliContext, finish: Finish): void {
  const schema = program.command('schema').description('Plan, apply and check the tables of the outbox.');

  schema
    .command('plan')
    .description('Print the SQL that creates the tables. Connects to nothing.')
    .action(async (_options: unknown, command: Command) => {
      const { output, config: file } = command.optsWithGlobals<GlobalOptions>();
      const { settings } = await loadSettings({ ...context, file }, []);
      const sql = schemaSql(settings.schema);
      print(context, output, { document: { name: settings.schema, sql }, text: () => sql, isFile: true });
      finish(EXIT.ok);
    });

  schema
    .command('grants')
    .description('Print the SQL of the rights that each role needs, to run after every apply. Connects to nothing.')
    .option('--producer <role>', 'who may enqueue')
    .option('--consumer <role>', 'who may enter messages in the inbox')
    .option('--dispatcher <role>', 'who may claim and settle')
    .option('--operator <role>', 'who may read, replay, discard and purge')
    .action(async (roles: Roles, command: Command) => {
      const { output, config: file } = command.optsWithGlobals<GlobalOptions>();
      const { settings } = await loadSettings({ ...context, file }, []);
      const sql = grantsSql(settings.schema, roles);
      print(context, output, { document: { name: settings.schema, sql }, text: () => sql, isFile: true });
      finish(EXIT.ok);
    });

  schema
    .command('apply')
    .description('Bring the tables up to date: all pending steps in one transaction, or none.')
    .option('--dry-run', 'only show the pending steps')
    .action(async (_options: unknown, command: Command) => {
      const { output, config: file, dryRun } = command.optsWithGlobals<GlobalOptions & { readonly dryRun?: boolean }>();
      const { settings } = await loadSettings({ ...context, file }, ['database.url']);
      const onBlocked = ({ tries }: { readonly tries: number }): void =>
        tell(context, `somebody keeps a table that a step needs; tried ${String(tries)} times so far, trying again`);
      const result = await withStore({ settings, statementTimeoutMs: MIGRATION_TIMEOUT_MS }, (store) =>
        dryRun
          ? checkSchema(store).then(plannedOutcome)
          : migrate(store, { onBlocked }).then(({ applied }) => appliedOutcome(applied)),
      );
      print(context, output, result);
      finish(result.exitCode);
    });

  addBackfillCommand(schema, context, finish);

  schema
    .command('doctor')
    .description('Compare the tables with what this version expects. Exit code 5 when they differ.')
    .action(async (_options: unknown, command: Command) => {
      const { output, config: file } = command.optsWithGlobals<GlobalOptions>();
      const { settings } = await loadSettings({ ...context, file }, ['database.url']);
      const { statementTimeoutMs } = settings.database;
      const diagnosis = await withStore({ settings, statementTimeoutMs }, (store) => doctor(store));
      print(context, output, { document: { ...diagnosis }, text: () => describeDiagnosis(diagnosis) });
      finish(diagnosis.findings.length === 0 ? EXIT.ok : EXIT.drift);
    });
}

function plannedOutcome(schema: SchemaStatus): Outcome {
  // Without --dry-run it would be refused.
  const exitCode = schema.status === 'ahead' ? EXIT.drift : EXIT.ok;
  return { exitCode, document: { dryRun: true, ...schema }, text: () => describe(schema) };
}

function appliedOutcome(applied: readonly string[]): Outcome {
  const text =
    applied.length === 0 ? 'up to date, nothing applied' : applied.map((name) => `applied ${name}`).join('\n');
  return { exitCode: EXIT.ok, document: { dryRun: false, applied }, text: () => text };
}

function describeDiagnosis({ compared, findings }: Diagnosis): string {
  if (findings.length > 0) return findings.map(describeFinding).join('\n');
  return compared
    ? 'ready: the tables are what this version expects'
    : 'ready: all steps are applied; a newer version has added to them, so that the tables were not compared';
}

function describeFinding(finding: Finding): string {
  switch (finding.kind) {
    case 'steps':
      return describe(
        finding.status === 'ahead'
          ? { status: finding.status, unknown: finding.steps }
          : { status: finding.status, pending: finding.steps },
      );
    case 'edited-step':
      return `step ${finding.step} was applied with another text than it has in this version`;
    case 'positions':
      return `sequence position_seq: ${finding.problem}`;
    case 'missing':
      return `${finding.object} is missing; expected ${finding.expected}`;
    case 'unexpected':
      return `${finding.object} is not expected; found ${finding.found}`;
    case 'different':
      return `${finding.object} differs: expected ${finding.expected}; found ${finding.found}`;
  }
}

function describe(schema: SchemaStatus): string {
  switch (schema.status) {
    case 'ready':
      return 'ready: the tables are what this version expects';
    case 'absent':
    case 'behind':
      return [`${schema.status}: waybill schema apply would apply`, ...schema.pending].join('\n  ');
    case 'ahead':
      return ['ahead: a newer version has applied steps that this one cannot work with', ...schema.unknown].join(
        '\n  ',
      );
  }
}

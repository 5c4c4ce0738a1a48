import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { type Arguments, readArguments } from './arguments.ts';
import { openProbe } from './measure/probe.ts';
import { startServer } from './measure/server.ts';
import { processMeter } from './process/edge.ts';
import { contenderNode, nodeVersion } from './process/program.ts';
import { markdownOf, summaryOf } from './report/markdown.ts';
import type { Report } from './report/report.ts';
import { svgOf } from './report/svg.ts';
import { runScenarios } from './run.ts';
import { readSetting } from './setting.ts';

process.exitCode = await main(process.argv.slice(2));

/** Exit code 1 when something was lost, out of order or broken; a target that is missed is a finding, not a failure. */
async function main(argv: readonly string[]): Promise<number> {
  try {
    const given = readArguments(argv);
    const report = await measure(given);
    return report.scenarios.every(({ faults }) => faults.length === 0) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
}

async function measure(given: Arguments): Promise<Report> {
  const { size, scenarios } = given;
  const server = await startServer();
  try {
    const probe = await openProbe(server.url);
    const setting = await readSetting(probe, nodeVersion(contenderNode(process)), new Date());
    await probe.close();
    console.log(JSON.stringify(setting, null, 2));
    const { now, cpuMs } = processMeter(process, performance);
    const searchPath = process.env['PATH'] ?? '';
    const bench = { server, size, searchPath, now, cpuMs, say: (line: string) => console.log(line) };
    return await runScenarios(scenarios, bench, { setting, onReport: (report) => write(report, given) });
  } finally {
    await server.stop();
  }
}

async function write(report: Report, { json, results }: Arguments): Promise<void> {
  const text = `${JSON.stringify(report, null, 2)}\n`;
  if (json !== null) await writeFile(json, text);
  if (results === null) return;
  await mkdir(results, { recursive: true });
  await writeFile(join(results, 'results.json'), text);
  await writeFile(join(results, 'results.md'), markdownOf(report));
  await writeFile(join(results, 'results.svg'), svgOf(report));
  await writeFile(join(results, 'summary.md'), summaryOf(report));
}

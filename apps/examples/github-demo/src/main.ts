#!/usr/bin/env node
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { runDemo } from './demo.ts';
import { liveProgress, plainProgress } from './report/progress.ts';
import { type Findings, problemsOf, resultOf } from './report/result.ts';
import { createStyle } from './report/style.ts';
import { summaryOf } from './report/summary.ts';
import { readSettings, type Settings } from './settings.ts';
import { createCleanup } from './story/cleanup.ts';

/** The conventional exit code of a program that Ctrl-C has ended. */
const INTERRUPTED = 130;

const { stdout, stderr } = process;
const interruption = new AbortController();
// The story takes half a minute; on a machine that does much else, several.
const LONGEST_DEMO_MS = 3_600_000;

// Once: whoever presses Ctrl-C again means now. The dispatchers and PostgreSQL notice by themselves that we are gone.
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    interruption.abort(new Error(`stopped by ${name}`));
  });
}
process.exitCode = await main();

async function main(): Promise<number> {
  const settings = readSettings(process.env);
  const logDirectory = await mkdtemp(join(tmpdir(), 'waybill-demo-'));
  const findings = await tell(settings, logDirectory);
  const good = findings !== undefined && problemsOf(findings).length === 0;
  if (good || interruption.signal.aborted) await rm(logDirectory, { recursive: true, force: true });
  else stderr.write(`The logs of the dispatchers are in ${logDirectory}\n`);
  if (findings !== undefined) stdout.write(`${JSON.stringify(resultOf(findings))}\n`);
  return interruption.signal.aborted ? INTERRUPTED : good ? 0 : 1;
}

/** Tells the story and cleans up; says why when it could not be told to its end. */
async function tell(settings: Settings, logDirectory: string): Promise<Findings | undefined> {
  const cleanup = createCleanup();
  const failure = new AbortController();
  const signal = AbortSignal.any([interruption.signal, failure.signal]);
  // The driver postgres throws outside of every promise when a session is cut at a bad moment; what was started is cleaned up all the same.
  const onFault = (error: Error): void => {
    failure.abort(error);
  };
  process.on('uncaughtException', onFault);
  const now = (): number => performance.now();
  const style = createStyle(stdout.isTTY && settings.colour);
  const progress = stdout.isTTY ? liveProgress({ output: stdout, style, now }) : plainProgress({ output: stdout, now });
  try {
    const findings = await runDemo({
      settings,
      logDirectory,
      environment: process.env,
      progress,
      cleanup,
      now,
      allowedUntil: new Date(Date.now() + LONGEST_DEMO_MS),
      onFailure: (error) => {
        failure.abort(error);
      },
      signal,
    });
    progress.close();
    stdout.write(summaryOf(findings, style));
    return findings;
  } catch (error) {
    progress.close();
    // What arrives here may only be the echo of the reason for which everything stops.
    stderr.write(
      `${style.bad('The demo did not get to its end:')} ${inspect(signal.aborted ? signal.reason : error)}\n`,
    );
    return undefined;
  } finally {
    for (const leftover of await cleanup.run()) stderr.write(`${inspect(leftover)}\n`);
    process.off('uncaughtException', onFault);
  }
}

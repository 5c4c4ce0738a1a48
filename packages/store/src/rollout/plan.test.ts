import { describe, expect, test } from 'vitest';

import { planRollout, type RolloutBuild, type RolloutPlan } from './plan.ts';

const TYPE = 'shop.order-placed';
const build = (name: string, reads: readonly number[], writes: readonly number[]): RolloutBuild => ({
  build: name,
  file: `${name}.json`,
  readers: { [TYPE]: reads },
  writers: { [TYPE]: writes },
});
const OLD = build('old', [1], [1]);
const BOTH = build('both', [1, 2], [2]);
const NEW = build('new', [2], [2]);

function stepsOf(plan: RolloutPlan): readonly string[] {
  if (plan.status !== 'planned') throw new Error('there is no plan');
  return plan.steps.map(({ step, versions }) => [step, ...versions.map(({ version }) => version)].join(' '));
}
const stepOf = (plan: RolloutPlan, name: string) =>
  plan.status === 'planned' ? plan.steps.find(({ step }) => step === name) : undefined;

describe('the plan of a rollout', () => {
  test('W33: readers go first, writers after the check, and the older version last', () => {
    const plan = planRollout(OLD, BOTH);
    expect(stepsOf(plan)).toEqual(['deploy-readers 2', 'check-coverage 2', 'allow-writers 2', 'drain 1', 'retire 1']);
    expect(stepOf(plan, 'deploy-readers')?.checks).toEqual(['waybill gate rollback --to both.json']);
    expect(stepOf(plan, 'allow-writers')).toMatchObject({
      checks: ['waybill gate writers --manifest both.json'],
      rollback: expect.stringContaining('waybill readers declare --manifest old.json') as string,
    });
    expect(stepOf(plan, 'retire')?.checks).toEqual([`waybill gate retire ${TYPE}@1`]);
  });

  test('W33: what the new build does not read any more is gone before the old dispatchers are', () => {
    expect(stepsOf(planRollout(BOTH, NEW))).toEqual(['drain 1', 'retire 1', 'deploy-readers', 'check-coverage 2']);
  });

  test('W33: there is no way to a build that does not read what the old services write, the way back included', () => {
    expect(planRollout(OLD, NEW)).toEqual({ status: 'needs-bridge', versions: [{ type: TYPE, version: 1 }] });
    expect(planRollout(BOTH, OLD)).toEqual({ status: 'needs-bridge', versions: [{ type: TYPE, version: 2 }] });
  });

  test('W33: every step says how to check it and how to go back, and builds alike need no more than a deploy', () => {
    const plan = planRollout(OLD, BOTH);
    for (const step of plan.status === 'planned' ? plan.steps : []) {
      expect(step.checks.every((check) => check.startsWith('waybill '))).toBe(true);
      expect(step.rollback).not.toBe('');
    }
    expect(stepsOf(planRollout(BOTH, { ...BOTH, build: 'next' }))).toEqual(['deploy-readers', 'check-coverage 2']);
  });

  test('W33: a command can be copied into a shell, whatever the file is called', () => {
    const plan = planRollout(OLD, { ...BOTH, file: "it's new.json" });
    expect(stepOf(plan, 'deploy-readers')?.checks).toEqual([`waybill gate rollback --to 'it'\\''s new.json'`]);
  });
});

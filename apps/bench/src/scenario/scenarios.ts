import { backlogScenario } from './backlog.ts';
import { BROKER_SCENARIOS } from './broker.ts';
import { drainScenario } from './drain.ts';
import { enqueueScenario } from './enqueue.ts';
import { heldScenario } from './held.ts';
import { hotScenario } from './hot.ts';
import { idleScenario } from './idle.ts';
import { keyedScenario } from './keyed.ts';
import { latencyScenario } from './latency.ts';
import { limitScenario } from './limit.ts';
import { readScenario } from './read.ts';
import { scaleScenario } from './scale.ts';
import type { Scenario, ScenarioName } from './scenario.ts';
import { stuckScenario } from './stuck.ts';
import { walScenario } from './wal.ts';

export const SCENARIOS: Readonly<Record<ScenarioName, Scenario>> = {
  enqueue: enqueueScenario,
  drain: drainScenario,
  keyed: keyedScenario,
  hot: hotScenario,
  stuck: stuckScenario,
  backlog: backlogScenario,
  held: heldScenario,
  latency: latencyScenario,
  idle: idleScenario,
  wal: walScenario,
  limit: limitScenario,
  read: readScenario,
  scale: scaleScenario,
  ...BROKER_SCENARIOS,
};

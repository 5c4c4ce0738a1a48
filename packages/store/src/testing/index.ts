export { type RolloutTargetOptions, rolloutTarget, type SimulationTarget } from './rollout-target.ts';

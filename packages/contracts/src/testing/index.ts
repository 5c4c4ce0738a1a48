/** Property tests for producer teams; needs fast-check. */
export { payloadsOf } from './arbitrary-payload.ts';
export { assertSteps } from './assert-steps.ts';
export { isWritable, stepProblems } from './step-problems.ts';

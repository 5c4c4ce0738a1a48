/** Property tests for producer teams; needs fast-check. */
export { payloadsOf } from './arbitrary-payload.ts';
export { assertSteps } from './assert-steps.ts';
export { payloadOf } from './payload-of.ts';
export { isWritable, type StepReport, trySteps } from './step-problems.ts';

export type { DriverCase, DriverContext } from './driver-suite/driver-case.ts';
export { DRIVER_CASES, driverSuite } from './driver-suite/driver-suite.ts';
export type {
  DriverOutbox,
  DriverTarget,
  DriverUnderTest,
  StoredMessage,
  SuiteEnqueued,
  SuiteEnqueueOptions,
} from './driver-suite/target.ts';
export {
  type AnswerRequest,
  type HttpReceiver,
  type ReceivedRequest,
  type ReceiverAnswer,
  startHttpReceiver,
} from './http-receiver.ts';
export type { RedeliverDatabase } from './redeliver/database.ts';
export type { Difference } from './redeliver/differences.ts';
export {
  REDELIVERY_SCENARIOS,
  type RedeliveredHandler,
  type RedeliverOptions,
  type RedeliveryFault,
  type RedeliveryScenario,
  redeliver,
} from './redeliver/redeliver.ts';
export type { SimulatedBuild } from './simulate-rollout/build.ts';
export type { RolloutInvariant } from './simulate-rollout/fault.ts';
export {
  type RolloutFault,
  type RolloutReport,
  type RolloutSimulation,
  simulateRollout,
} from './simulate-rollout/simulate-rollout.ts';
export type { RolloutStep, TargetAnswer, WrittenMessage } from './simulate-rollout/step.ts';
export type {
  ClaimedRun,
  DispatcherPort,
  OperatorPort,
  RolloutTarget,
  ServicePort,
  StoredRecord,
  TransactionPort,
} from './simulate-rollout/target.ts';
export type { MakePayload } from './simulate-rollout/world.ts';
export { type LineMode, startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
export { type TestMessage, testMessage } from './test-message.ts';
export type { CaseContext, SuiteCase } from './transport-suite/suite-case.ts';
export {
  type HeldMessage,
  type MakeFault,
  type NotApplicable,
  TRANSPORT_FAULTS,
  type TransportFault,
  type TransportTarget,
  type TransportUnderTest,
} from './transport-suite/target.ts';
export {
  type SkippableTest,
  type SuiteScale,
  type TestRunner,
  TRANSPORT_CASES,
  transportSuite,
} from './transport-suite/transport-suite.ts';

import { HEAD_POLICIES, IDEMPOTENCY_CLASSES, KINDS } from '../vocabulary.ts';
import { deliveryProblems } from './delivery-specification.ts';
import type { AnyMessage } from './message.ts';

/** Stable type names travel in headers, subjects and metric attributes, hence the narrow alphabet. */
export const TYPE_NAME: RegExp = /^[a-z][a-z0-9]*([._-][a-z0-9]+)*$/;
export const TYPE_NAME_MAX_BYTES = 128;

/** Every problem of a message type. Also run at start-up, since a message may come from another copy of this package. */
export function messageProblems(message: AnyMessage): readonly string[] {
  return [
    ...nameProblems(message),
    ...versionProblems(message),
    ...stepProblems(message),
    ...deliveryProblems(message.delivery),
    ...idempotencyProblems(message),
  ];
}

function nameProblems(message: AnyMessage): readonly string[] {
  const problems: string[] = [];
  if (!TYPE_NAME.test(message.type))
    problems.push(`type: ${JSON.stringify(message.type)} must match ${TYPE_NAME.source}`);
  if (message.type.length > TYPE_NAME_MAX_BYTES) problems.push(`type: must have at most ${TYPE_NAME_MAX_BYTES} bytes`);
  if (!KINDS.includes(message.kind)) problems.push(`kind: must be one of ${KINDS.join(', ')}`);
  if (!HEAD_POLICIES.includes(message.headPolicy))
    problems.push(`headPolicy: must be one of ${HEAD_POLICIES.join(', ')}`);
  if (message.recordKey !== null && typeof message.recordKey !== 'function')
    problems.push(
      'recordKey: must be a function of the newest payload, or null for a type whose messages have no order',
    );
  if (message.kind === 'integration-event' && !message.event)
    problems.push('event: an integration event names its Event record');
  if (message.kind !== 'integration-event' && message.event)
    problems.push(`event: only an integration event cites an Event record, not a ${message.kind}`);
  return problems;
}

function versionProblems(message: AnyMessage): readonly string[] {
  const keys = Object.keys(message.versions);
  if (keys.length === 0) return ['versions: at least one version is required'];
  const misnamed = keys.filter((key) => !/^[1-9]\d{0,5}$/.test(key));
  if (misnamed.length > 0)
    return [`versions: ${misnamed.map((key) => JSON.stringify(key)).join(', ')} must be whole numbers from 1`];
  return Object.values(message.versions).every((schema: unknown) => typeof schema === 'object' && schema !== null)
    ? []
    : ['versions: each version is a TypeBox object schema'];
}

/** Steps are keyed by the version they lead to (up) or from (down), so a chain cannot branch or turn back; what can go wrong is a gap or a stray step. */
function stepProblems(message: AnyMessage): readonly string[] {
  const problems: string[] = [];
  for (let version = message.oldest + 1; version <= message.newest; version += 1) {
    if (!(version in message.versions))
      problems.push(`versions: version ${version} is missing between ${message.oldest} and ${message.newest}`);
    if (typeof message.upcast[version] !== 'function')
      problems.push(`upcast: no function leads from version ${version - 1} to ${version}`);
  }
  for (const [direction, steps] of [
    ['upcast', message.upcast],
    ['downcast', message.downcast],
  ] as const) {
    for (const [key, step] of Object.entries(steps)) {
      const version = Number(key);
      if (version in message.versions && version > message.oldest && typeof step === 'function') continue;
      problems.push(
        `${direction}: ${JSON.stringify(key)} is no step between two of the versions ${message.oldest} to ${message.newest}`,
      );
    }
  }
  return problems;
}

function idempotencyProblems(message: AnyMessage): readonly string[] {
  const idempotency = message.idempotency;
  if (idempotency === null) return [];
  if (!IDEMPOTENCY_CLASSES.includes(idempotency.class))
    return [`idempotency.class: must be one of ${IDEMPOTENCY_CLASSES.join(', ')}`];
  const needsContract = idempotency.class === 'external' || idempotency.class === 'state-dependent';
  // The types ask for it; code without types can still leave it out.
  const contract: string | undefined = idempotency.contract;
  return needsContract && (contract ?? '').trim() === ''
    ? [`idempotency.contract: an effect of class ${idempotency.class} says what makes a repeat harmless`]
    : [];
}

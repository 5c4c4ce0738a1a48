/**
 * The formats that readers and writers assert. The list is pinned: a format that one build asserts and another ignores would make the
 * same record valid here and invalid there. The lock file of frozen schemas repeats it.
 */
export const ASSERTED_FORMATS = [
  'date',
  'date-time',
  'time',
  'duration',
  'uuid',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
] as const;
export type AssertedFormat = (typeof ASSERTED_FORMATS)[number];

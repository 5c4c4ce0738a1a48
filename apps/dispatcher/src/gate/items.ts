/** The five parts of the gate between the batch drainer and the pull workers. */
export const PARTS = {
  1: 'isolation',
  2: 'key order',
  3: 'retry bookkeeping',
  4: 'proven idempotency',
  5: 'external effects',
} as const;

/** Items about code are green when the build's evidence has passing tests for each of these requirements. */
export const CODE_ITEMS = {
  'G1.1': { title: 'a blocked handler occupies its worker only', ids: ['Q01', 'Q02', 'I08'] },
  'G1.2': {
    title: 'the claim is committed before any work, and no transaction is open during a call',
    ids: ['Q03', 'Q04', 'W13'],
  },
  'G1.3': { title: 'the incident of a delete cascade freezes no drain', ids: ['Q23'] },
  'G2.4': { title: 'records of a key are delivered in order by any number of workers', ids: ['Q10', 'Q11', 'I03'] },
  'G3.1': {
    title: 'a failure and its bookkeeping commit together, or under the protection of the claim',
    ids: ['Q12', 'Q13'],
  },
  'G3.2': { title: 'a failed record counts its attempt and is not taken again at once', ids: ['Q14', 'Q15', 'I07'] },
  'G4.1': { title: 'repeats of creates and sets are shown to be harmless', ids: ['Q16', 'Q17'] },
  'G4.2': { title: 'consumers can tell a repeat by the message id', ids: ['W16', 'W17'] },
} as const;

/** Items about the configuration of this build. */
export const CONFIGURATION_ITEMS = {
  'G5.1': {
    title: 'every effect outside of the database is classified and has an idempotency contract, or is scoped out',
  },
  'G5.2': { title: 'nothing is scoped out beyond its date' },
} as const;

/** Items about the data in the store. */
export const DATA_ITEMS = {
  'G2.1': { title: 'the tables have record keys' },
  'G2.2': { title: 'no message that is on its way lacks its key' },
  'G2.3': { title: 'no running service writes without keys' },
  'G2.5': { title: 'no record waits behind nobody' },
} as const;

export type CodeItem = keyof typeof CODE_ITEMS;
export type ConfigurationItem = keyof typeof CONFIGURATION_ITEMS;
export type DataItem = keyof typeof DATA_ITEMS;
export type ItemId = CodeItem | ConfigurationItem | DataItem;

/** All items in the order of their parts. */
export const ITEM_IDS: readonly ItemId[] = (
  [...Object.keys(CODE_ITEMS), ...Object.keys(CONFIGURATION_ITEMS), ...Object.keys(DATA_ITEMS)] as ItemId[]
) // Object.keys forgets the keys' type.
  .sort();

export function titleOf(id: ItemId): string {
  return { ...CODE_ITEMS, ...CONFIGURATION_ITEMS, ...DATA_ITEMS }[id].title;
}

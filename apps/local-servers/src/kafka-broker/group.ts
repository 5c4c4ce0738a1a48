/**
 * A group of consumers with room for one member: who joins last has it, as after a crash that the broker has noticed. What it has
 * committed stays.
 */
export interface ConsumerGroup {
  /** Makes a new generation for the member, which leads it. */
  join(memberId: string): { readonly memberId: string; readonly generation: number };
  /** Whether the member is still the one of that generation. */
  has(memberId: string, generation: number): boolean;
  leave(memberId: string): void;
  /** Offsets by partition: where the next member goes on. */
  readonly committed: Map<number, bigint>;
}

export function consumerGroup(): ConsumerGroup {
  let current = { memberId: '', generation: 0 };
  let members = 0;
  return {
    committed: new Map(),
    join(memberId) {
      current = { memberId: memberId || `member-${++members}`, generation: current.generation + 1 };
      return current;
    },
    has: (memberId, generation) => memberId === current.memberId && generation === current.generation,
    leave(memberId) {
      if (memberId === current.memberId) current = { ...current, memberId: '' };
    },
  };
}

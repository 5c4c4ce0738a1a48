import { Type } from '@sinclair/typebox';
import { type AnyMessage, defineContracts, defineMessage } from '@waybill/contracts';
import { OrderPlaced } from './contract.ts';

/** How a backlog may look. Every shape has a message type of its own, so that one claimer meets one shape. */
export interface Shape {
  readonly name: string;
  readonly message: AnyMessage;
  /** The key of the n-th message; empty for none. */
  readonly keyOf: (n: number) => string;
  /** Whether the n-th message is due in a far future. */
  readonly isLater: (n: number) => boolean;
  /** Keys of a claim: few where each has a backlog, as the dispatcher asks. A small backlog of large keys would have no more. */
  readonly heads?: number;
}

const schema = Type.Object({ n: Type.Integer(), note: Type.String() });
const never = (): boolean => false;

export const SHAPES: readonly Shape[] = [
  shape('no keys', () => ''),
  // Keys belong to all types together, so each shape has its own: behind another shape's records there would be nothing to claim.
  shape('keys of 25', (n) => `Small/${Math.floor(n / 25)}`),
  shape('keys of 1,000', (n) => `Large/${Math.floor(n / 1_000)}`, { heads: 2 }),
  shape('one key', () => 'Single/0'),
  shape('a hundred due, the others later', () => '', { isLater: (n) => n >= 100 }),
];

export const backlogContracts = defineContracts({
  name: '@waybill/bench-backlog',
  messages: SHAPES.map(({ message }) => message),
});

function shape(
  name: string,
  keyOf: Shape['keyOf'],
  { isLater = never, heads }: Partial<Pick<Shape, 'isLater' | 'heads'>> = {},
): Shape {
  const message = defineMessage({
    type: `bench.backlog.${name.replaceAll(/[^a-z0-9]+/g, '-')}`,
    kind: 'journey-step-command',
    recordKey: null,
    versions: { 1: schema },
    delivery: OrderPlaced.delivery,
  });
  return { name, message, keyOf, isLater, ...(heads === undefined ? {} : { heads }) };
}

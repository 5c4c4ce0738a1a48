import { describe, expect, test } from 'vitest';
import { type Committed, type Evidence, reconcile } from './reconcile.ts';

const message = (id: string, recordKey: string): Committed => ({ id, recordKey });

/** Two messages of one key, one of another; all accepted in order. */
const clean: Evidence = {
  committed: [message('a1', 'Issue/1'), message('b1', 'Issue/2'), message('a2', 'Issue/1')],
  accepted: ['b1', 'a1', 'a2'],
  deadLetters: [],
};

describe('the comparison of what was committed with what was accepted', () => {
  test('I01: everything delivered once and in order is a clean result, however keys interleave', () => {
    expect(reconcile(clean)).toEqual({
      enqueued: 3,
      delivered: 3,
      duplicates: 0,
      lost: [],
      outOfOrder: [],
      phantoms: [],
    });
  });

  test('I01: a committed message that no target accepted is lost', () => {
    expect(reconcile({ ...clean, accepted: ['b1', 'a1'] })).toMatchObject({ delivered: 2, lost: ['a2'] });
  });

  test('I01: a dead letter is neither delivered nor lost', () => {
    expect(reconcile({ ...clean, accepted: ['b1', 'a1'], deadLetters: ['a2'] })).toMatchObject({
      delivered: 2,
      lost: [],
    });
  });

  test('W16: an acceptance beyond the first is a duplicate and changes nothing else', () => {
    expect(reconcile({ ...clean, accepted: ['b1', 'a1', 'a2', 'a1'] })).toMatchObject({
      delivered: 3,
      duplicates: 1,
      outOfOrder: [],
    });
  });

  test('I03: a message that its successor overtook is out of order', () => {
    expect(reconcile({ ...clean, accepted: ['a2', 'b1', 'a1'] })).toMatchObject({ delivered: 3, outOfOrder: ['a1'] });
  });

  test('I03: one that overtakes many makes each of them late', () => {
    const evidence = {
      committed: ['1', '2', '3', '4'].map((id) => message(id, 'Issue/1')),
      accepted: ['4', '1', '2', '3'],
      deadLetters: [],
    };
    expect(reconcile(evidence).outOfOrder).toEqual(['1', '2', '3']);
  });

  test('W04: an accepted message that nobody committed is a phantom and counts as no delivery', () => {
    expect(reconcile({ ...clean, accepted: ['b1', 'a1', 'a2', 'rolled-back'] })).toMatchObject({
      enqueued: 3,
      delivered: 3,
      duplicates: 0,
      phantoms: ['rolled-back'],
    });
  });
});

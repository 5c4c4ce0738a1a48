import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { BOTTOM, type ClaimFacts, type Floor, floorsHold, hasMoreBehind, nextFloor, type Seen } from './floors.ts';

const CONTRACT = 7;
const floor = (xid: bigint, position = 0n, open: readonly bigint[] = []): Floor => ({ xid, position, open });
const facts = (xmax: bigint, inProgress: readonly bigint[] = [], seen: readonly Partial<Seen>[] = []): ClaimFacts => ({
  snapshot: { xmax, inProgress },
  limit: 10,
  share: 10,
  server: 'now',
  sweepDue: false,
  momentMs: 0,
  dueLeft: false,
  nextDueMs: null,
  suspects: false,
  pauses: null,
  seen: seen.map((row) => ({ contract: CONTRACT, source: 'new', rows: 1, cut: false, last: null, ...row })),
});
const last = (xid: bigint, position: bigint) => ({ xid, position });

describe('finding 9: where the next floor is', () => {
  test.each([
    ['nothing was found', BOTTOM, facts(100n), floor(100n)],
    ['the window was not full', floor(50n), facts(100n, [], [{ rows: 9, last: last(60n, 5n) }]), floor(100n)],
    ['the window was full', floor(50n), facts(100n, [], [{ rows: 10, last: last(60n, 5n) }]), floor(60n, 6n)],
    [
      'the limit cut rows off',
      floor(50n),
      facts(100n, [], [{ rows: 3, cut: true, last: last(60n, 5n) }]),
      floor(60n, 6n),
    ],
    [
      'no row of a full window is what the snapshot saw',
      floor(50n, 3n),
      facts(100n, [], [{ rows: 10 }]),
      floor(50n, 3n),
    ],
    [
      'another contract was full',
      floor(50n),
      facts(100n, [], [{ contract: 8, rows: 10, last: last(60n, 5n) }]),
      floor(100n),
    ],
    ['transactions are open below it', floor(50n), facts(100n, [90n, 70n]), floor(100n, 0n, [70n, 90n])],
    ['an open one is above it', floor(50n), facts(100n, [70n], [{ rows: 10, last: last(60n, 5n) }]), floor(60n, 6n)],
    [
      'more are open than are remembered',
      floor(50n),
      facts(100n, [61n, 62n, 63n, 64n, 65n, 66n, 67n, 68n, 69n]),
      floor(69n, 0n, [61n, 62n, 63n, 64n, 65n, 66n, 67n, 68n]),
    ],
    [
      'late rows were cut off',
      floor(50n, 1n, [40n]),
      facts(100n, [], [{ source: 'late', rows: 4, cut: true }]),
      floor(50n, 1n, [40n]),
    ],
    [
      'late rows may be left',
      floor(50n, 1n, [40n]),
      facts(100n, [], [{ source: 'late', rows: 10 }]),
      floor(50n, 1n, [40n]),
    ],
    ['the late rows were all', floor(50n, 1n, [40n]), facts(100n, [], [{ source: 'late', rows: 9 }]), floor(100n)],
  ])('I02 finding 9: %s', (_what, from, seen, to) => {
    expect(nextFloor(from, CONTRACT, seen)).toEqual(to);
  });

  test('I02 finding 9: a floor never falls, and never passes an open transaction that it does not remember', () => {
    const xids = fc.uniqueArray(fc.bigInt(1n, 200n), { maxLength: 20 });
    fc.assert(
      fc.property(xids, xids, fc.bigInt(1n, 300n), fc.boolean(), (before, after, ahead, full) => {
        const from = nextFloor(
          BOTTOM,
          CONTRACT,
          facts(
            150n,
            before.filter((xid) => xid < 150n),
          ),
        );
        // What was open is open still or has ended; what is new began after the first snapshot.
        const open = after.filter((xid) => (xid >= 150n ? xid < 150n + ahead : before.includes(xid)));
        const row = { rows: full ? 10 : 1, last: last(from.xid + 1n, 1n) };
        const to = nextFloor(from, CONTRACT, facts(150n + ahead, open, [row]));
        expect(to.xid).toBeGreaterThanOrEqual(from.xid);
        for (const xid of open) expect(xid >= to.xid || to.open.includes(xid)).toBe(true);
      }),
    );
  });
});

describe('finding 9: whether the next claim finds more at once', () => {
  const from = floor(50n, 1n, [40n]);
  test.each<[string, Partial<Seen>, boolean]>([
    ['the window was full', { rows: 10, last: last(60n, 5n) }, true],
    ['the limit cut rows off', { rows: 3, cut: true, last: last(60n, 5n) }, true],
    ['the window was not full', { rows: 9, last: last(60n, 5n) }, false],
    ['no row of a full window could be judged', { rows: 10 }, false],
    ['late rows may be left', { source: 'late', rows: 10, last: last(40n, 5n) }, false],
    ['late rows were cut off', { source: 'late', rows: 4, cut: true, last: last(40n, 5n) }, false],
  ])('I02 finding 9: %s', (_what, row, more) => {
    const saw = facts(100n, [], [row]);
    expect(hasMoreBehind(saw)).toBe(more);
    // Without a floor that moves, a claim at once would be the same claim again, without a rest.
    if (more) expect(nextFloor(from, CONTRACT, saw)).not.toEqual(from);
  });
});

test('I02 finding 10: floors hold for one start of one server', () => {
  expect(floorsHold(floor(50n), 'now', facts(100n))).toBe(true);
  expect(floorsHold(floor(50n), 'before', facts(100n)), 'restarted').toBe(false);
  expect(floorsHold(floor(50n), null, facts(100n))).toBe(false);
  expect(floorsHold(floor(150n), 'now', facts(100n)), 'transaction ids went back').toBe(false);
});

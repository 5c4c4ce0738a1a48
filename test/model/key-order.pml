/*
 * One record key under enqueue, claim, settlement, sweep, crash and lease expiry, checked over every interleaving.
 *
 * A transaction's writes are kept aside and become visible in one step (COMMIT). A statement is a snapshot step and, apart from it, the steps
 * that take row locks: what happens between the two is what breaks queues. The SQL that this mirrors is in packages/store/sql/migrations.
 *
 * Checked: no committed row waits without an elder (the waiting row would be lost); never two live owners; first deliveries in commit order;
 * and no end state in which something is left (SPIN's invalid end states). key-order.test.ts runs it; each MUTANT_* takes a safeguard away.
 */
#ifndef WRITERS
#define WRITERS 2        /* writers in READ COMMITTED */
#endif
#ifndef SNAPSHOT_WRITERS
#define SNAPSHOT_WRITERS 1 /* writers in REPEATABLE READ or SERIALIZABLE */
#endif
#ifndef CLAIMERS
#define CLAIMERS 2
#endif
#ifndef EXPIRIES
#define EXPIRIES 1       /* leases that end although their owner lives */
#endif
#ifndef CRASHES
#define CRASHES 1        /* owners that stop before they settle; bounds the fences, and so the search */
#endif
#define N (WRITERS + SNAPSHOT_WRITERS)
#define NOBODY 0
#define NONE 99

mtype = { absent, waiting, ready, tombstone, gone };

/* What is committed, by position. */
mtype row[N];
byte version[N];         /* xmin: grows with each committed change */
byte owner[N];
byte fence[N];
byte runTo[N];
bool expired[N];
bool checked[N];
bool everCommitted[N];
bool delivered[N];
/* Locks. */
byte rowLock[N];
byte guard;
byte nextPosition;
byte writersLeft = N;
byte crashesLeft = CRASHES;
byte holder = NOBODY;    /* whose lease on the key has not ended, whatever the rows say */

#define live(p) (row[p] == waiting || row[p] == ready || row[p] == tombstone)
#define mayBeClaimed(p) (row[p] == ready && (owner[p] == NOBODY || expired[p]))

inline checkNobodyLost() {
  byte p_ = 0; byte q_ = 0; bool elder_ = false;
  p_ = 0;
  do
  :: p_ < N ->
    if
    :: row[p_] == waiting ->
      elder_ = false; q_ = 0;
      do :: q_ < p_ -> if :: live(q_) -> elder_ = true :: else fi; q_++ :: else -> break od;
      assert(elder_)
    :: else
    fi;
    p_++
  :: else -> break
  od;
  p_ = 0; q_ = 0; elder_ = false
}

/* The first live row at or after "from" in a snapshot, passing over what this transaction has deleted itself. */
inline firstLive(from, passFrom, passTo, result) {
  byte f_ = from;
  result = NONE;
  do
  :: f_ < N && result == NONE ->
    if
    :: (snapshot[f_] == waiting || snapshot[f_] == ready || snapshot[f_] == tombstone) && !(passFrom <= f_ && f_ <= passTo) -> result = f_
    :: else
    fi;
    f_++
  :: else -> break
  od;
  f_ = 0
}

inline takeSnapshot() {
  byte s_ = 0;
  do :: s_ < N -> snapshot[s_] = row[s_]; s_++ :: else -> break od;
  s_ = 0
}

inline forgetSnapshot() {
  byte g_ = 0;
  do :: g_ < N -> snapshot[g_] = absent; g_++ :: else -> break od;
  g_ = 0
}

proctype Writer(byte me; bool oldSnapshot) {
  byte position = NONE;
  byte q = 0;
  bool head = true;

  atomic { guard == NOBODY -> guard = me }
  /* The statement of its own: its snapshot sees every earlier writer. An old snapshot would lie, so nothing is looked at. */
  d_step {
    position = nextPosition; nextPosition++;
    q = 0;
    do
    :: q < N -> if :: !oldSnapshot && live(q) -> head = false :: else fi; q++
    :: else -> break
    od;
    q = 0
  }
  if
  :: d_step {
      row[position] = (head -> ready : waiting);
      checked[position] = !(oldSnapshot && head);
      version[position]++; everCommitted[position] = true;
      guard = NOBODY; writersLeft--;
      checkNobodyLost()
    }
  :: d_step { guard = NOBODY; writersLeft-- }   /* ROLLBACK: the position is burnt */
  fi
}

/* Makes the row at "w" ready if nobody has it; the caller commits the effect. result: 1 woken, 0 busy. */
inline tryWake(w, me, woke) {
  atomic {
    if
    :: w != NONE && rowLock[w] == NOBODY && live(w) -> rowLock[w] = me; woke = 1
    :: else -> woke = 0
    fi
  }
}

proctype Claimer(byte me; bool settlesInOldSnapshot) {
  mtype snapshot[N];
  byte seenVersion = 0;
#ifdef MUTANT_CHECKED_OF_SNAPSHOT
  bool seenChecked = false;
#define isChecked seenChecked
#else
#define isChecked checked[p]
#endif
  byte p = 0; byte elder = NONE; byte last = NONE; byte end = NONE; byte q = 0; byte next = NONE; byte woke = 0; byte myFence = 0;
  bool leaveTombstone = false; bool haveGuard = false; bool mine = false;

again:
  /* CLAIM: the snapshot of the statement, and one row that it shows as claimable. */
  atomic {
    if
    :: mayBeClaimed(0) -> p = 0
    :: N > 1 && mayBeClaimed(1) -> p = 1
    :: N > 2 && mayBeClaimed(2) -> p = 2
    :: N > 3 && mayBeClaimed(3) -> p = 3
    :: writersLeft == 0 && !live(0) && (N < 2 || !live(1)) && (N < 3 || !live(2)) && (N < 4 || !live(3)) -> goto done
    fi;
    d_step {
      takeSnapshot(); seenVersion = version[p];
#ifdef MUTANT_CHECKED_OF_SNAPSHOT
      seenChecked = checked[p]
#endif
    }
  }
  atomic {   /* FOR NO KEY UPDATE SKIP LOCKED, and the condition again on the newest version */
    if
    :: rowLock[p] == NOBODY && mayBeClaimed(p) -> rowLock[p] = me
    :: else -> d_step { forgetSnapshot(); p = 0; seenVersion = 0 }; goto again
    fi
  }
#ifndef MUTANT_NO_VERSION_CHECK
  if
  :: version[p] != seenVersion -> d_step { rowLock[p] = NOBODY; forgetSnapshot(); p = 0; seenVersion = 0 }; goto again
  :: else
  fi;
#endif
  if
  :: !isChecked ->
    d_step {
      elder = NONE; q = 0;
      do
      :: q < p -> if :: snapshot[q] == waiting || snapshot[q] == ready || snapshot[q] == tombstone -> elder = q :: else fi; q++
      :: else -> break
      od;
      q = 0
    }
    if
    :: elder != NONE ->
      atomic {   /* the elder, locked alive */
        if
#ifdef MUTANT_PUT_BACK_UNLOCKED
        :: true -> skip
#else
        :: rowLock[elder] == NOBODY && live(elder) -> rowLock[elder] = me
        :: else -> d_step { rowLock[p] = NOBODY; forgetSnapshot(); p = 0; elder = NONE; seenVersion = 0 }; goto again
#endif
        fi
      }
      d_step {   /* put back behind it; COMMIT */
        row[p] = waiting; checked[p] = true; version[p]++; rowLock[p] = NOBODY;
        if :: rowLock[elder] == me -> rowLock[elder] = NOBODY :: else fi;
        forgetSnapshot(); p = 0; elder = NONE; seenVersion = 0;
        checkNobodyLost()
      }
      goto again
    :: else
    fi
  :: else
  fi;
  /* The run: followers that the snapshot shows, up to the first tombstone; any length. Followers are neither locked nor written. */
  end = p;
  do
  :: end + 1 < N && (snapshot[end + 1] == waiting || snapshot[end + 1] == ready) -> end++
  :: break
  od;
  skip;
  d_step {   /* lease the head; COMMIT */
    assert(holder == NOBODY); holder = me;
    owner[p] = me; expired[p] = false; fence[p]++; myFence = fence[p]; runTo[p] = end; checked[p] = true; version[p]++;
    rowLock[p] = NOBODY; forgetSnapshot(); seenVersion = 0
  }

  /* HANDLE: one after the other, at least one, or all that there is; then settle, unless the owner crashes. */
  last = NONE; q = p;
  do
  :: q <= end ->
    d_step {
      if
      :: !delivered[q] && everCommitted[q] ->
        next = 0;
        do :: next < q -> assert(delivered[next] || !everCommitted[next]); next++ :: else -> break od;
        next = NONE; delivered[q] = true
      :: else
      fi;
      last = q; q++
    }
  :: last != NONE -> break
  od;
  if
  :: d_step { crashesLeft > 0 -> crashesLeft--;   /* the lease runs out, and somebody delivers again */
      if :: holder == me -> holder = NOBODY :: else fi;
      if :: owner[p] == me && fence[p] == myFence -> expired[p] = true :: else fi; p = 0; q = 0; end = NONE; last = NONE; myFence = 0 }
    goto again
  :: true
  fi;

  /* SETTLE. In an old snapshot every look is as old as the transaction. */
  if :: settlesInOldSnapshot -> d_step { takeSnapshot() } :: else fi;
  atomic { rowLock[p] == NOBODY -> rowLock[p] = me }
  d_step { mine = (live(p) && owner[p] == me && fence[p] == myFence) }
#ifdef MUTANT_NO_FENCE
  d_step { mine = live(p) }
#endif
  if
  :: !mine -> d_step { rowLock[p] = NOBODY; forgetSnapshot(); p = 0; q = 0; end = NONE; last = NONE; myFence = 0 }; goto again   /* lease-lost */
  :: else
  fi;
  /* The deletion of followers waits for whoever has one locked for a moment: a claim that compares it. */
  q = p + 1;
  do
  :: q <= last -> atomic { rowLock[q] == NOBODY -> rowLock[q] = me; q++ }
  :: else -> break
  od;
  if :: !settlesInOldSnapshot -> d_step { takeSnapshot() } :: else fi;
  d_step { firstLive(p, p, last, next) }
  leaveTombstone = false;
  if
  :: next != NONE ->
    tryWake(next, me, woke);
#ifndef MUTANT_NO_TOMBSTONE_ON_BUSY
    if :: woke == 0 -> leaveTombstone = true; next = NONE :: else fi
#else
    if :: woke == 0 -> next = NONE :: else fi
#endif
  :: else ->
#ifdef MUTANT_GUARD_IN_OLD_SNAPSHOT
    if
    :: guard == NOBODY -> atomic { guard == NOBODY -> guard = me; haveGuard = true }
    :: leaveTombstone = true
    fi;
#else
    if
    :: settlesInOldSnapshot -> leaveTombstone = true
    :: else ->
      atomic { if :: guard == NOBODY -> guard = me; haveGuard = true :: else -> leaveTombstone = true fi }
    fi;
#endif
    if
    :: haveGuard ->
#ifndef MUTANT_NO_SECOND_LOOK
      if :: !settlesInOldSnapshot -> d_step { takeSnapshot(); firstLive(p, p, last, next) } :: else fi;
#endif
      if
      :: next != NONE -> tryWake(next, me, woke); if :: woke == 0 -> leaveTombstone = true; next = NONE :: else fi
      :: else
      fi
    :: else
    fi
  fi;
  d_step {   /* COMMIT: what was delivered is gone, its successor is ready, or a tombstone keeps the order */
    if :: holder == me -> holder = NOBODY :: else fi;
    q = p;
    do :: q <= last -> row[q] = gone; version[q]++; rowLock[q] = NOBODY; q++ :: else -> break od;
    if
    :: leaveTombstone -> row[last] = tombstone; owner[last] = NOBODY; version[last]++
    :: else
    fi;
    if
    :: next != NONE ->
      if :: row[next] != tombstone && owner[next] == NOBODY -> row[next] = ready; checked[next] = true; fence[next] = (fence[next] > myFence -> fence[next] : myFence); version[next]++ :: else fi;
      rowLock[next] = NOBODY
    :: else
    fi;
    rowLock[p] = NOBODY;
    if :: haveGuard -> guard = NOBODY :: else fi;
    forgetSnapshot(); p = 0; q = 0; end = NONE; last = NONE; next = NONE; myFence = 0; haveGuard = false; leaveTombstone = false; mine = false; woke = 0;
    checkNobodyLost()
  }
  goto again;
done: skip
}

proctype Sweeper(byte me) {
  mtype snapshot[N];
  byte t = NONE; byte next = NONE; byte woke = 0;
  bool sure = false; bool haveGuard = false;
again:
  atomic {
    if
    :: row[0] == tombstone && rowLock[0] == NOBODY -> t = 0
    :: N > 1 && row[1] == tombstone && rowLock[1] == NOBODY -> t = 1
    :: N > 2 && row[2] == tombstone && rowLock[2] == NOBODY -> t = 2
    :: N > 3 && row[3] == tombstone && rowLock[3] == NOBODY -> t = 3
    :: writersLeft == 0 && !live(0) && (N < 2 || !live(1)) && (N < 3 || !live(2)) && (N < 4 || !live(3)) -> goto done
    fi;
    rowLock[t] = me
  }
  d_step { takeSnapshot(); firstLive(t + 1, NONE, NONE, next) }
  if
  :: next != NONE -> tryWake(next, me, woke); sure = (woke == 1)
  :: else ->
    atomic { if :: guard == NOBODY -> guard = me; haveGuard = true :: else fi }
    if
    :: haveGuard ->
      d_step { takeSnapshot(); firstLive(t + 1, NONE, NONE, next) }
      if
      :: next != NONE -> tryWake(next, me, woke); sure = (woke == 1)
      :: else -> sure = true
      fi
    :: else
    fi
  fi;
  if :: !sure && next != NONE && woke == 0 -> next = NONE :: else fi;
  d_step {
    if
    :: next != NONE ->
      if :: row[next] != tombstone && owner[next] == NOBODY -> row[next] = ready; checked[next] = true; fence[next] = (fence[next] > fence[t] -> fence[next] : fence[t]); version[next]++ :: else fi;
      rowLock[next] = NOBODY
    :: else
    fi;
    if :: sure -> row[t] = gone; version[t]++ :: else fi;
    rowLock[t] = NOBODY;
    if :: haveGuard -> guard = NOBODY :: else fi;
    forgetSnapshot(); t = NONE; next = NONE; woke = 0; sure = false; haveGuard = false;
    checkNobodyLost()
  }
  goto again;
done: skip
}

/* A lease that runs out although its owner lives and will still try to settle. */
proctype Expiry() {
  byte left = EXPIRIES;
  do
  :: atomic { left > 0 && row[0] == ready && owner[0] != NOBODY && !expired[0] -> expired[0] = true; holder = NOBODY; left-- }
  :: atomic { left > 0 && N > 1 && row[1] == ready && owner[1] != NOBODY && !expired[1] -> expired[1] = true; holder = NOBODY; left-- }
  :: break
  od
}

init {
  byte i = 0;
  atomic {
    do :: i < N -> row[i] = absent; i++ :: else -> break od;
    i = 0;
    do :: i < WRITERS -> run Writer(10 + i, false); i++ :: else -> break od;
    i = 0;
    do :: i < SNAPSHOT_WRITERS -> run Writer(20 + i, true); i++ :: else -> break od;
    run Claimer(30, false);
    if :: CLAIMERS > 1 -> run Claimer(31, true) :: else fi;
    run Sweeper(40);
    run Expiry()
  }
}

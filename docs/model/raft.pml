/*
 * The Raft of a broker group as the module `raft` builds it, small enough to be looked through whole. README.md beside this file says
 * which method each step stands for, what is left out and why that hides nothing, what it is run with and what came of it.
 *
 * A unit of the log is one step of the byte offset. It is written as the number of its epoch, plus 16 * the set of voters that it names
 * (0 for none). Messages are not kept: what one node may hear of another is read off what that one has made durable or, of a leader and its
 * followers, off `led` and `said`. A message that comes late or twice is a step taken late or twice, one that is lost is not taken.
 */
#ifndef N
#define N 3                              /* nodes: 3 or 4 */
#endif
#ifndef UNITS
#define UNITS 2                          /* how long a log may get: 2 to 5 */
#endif
#ifndef TERMS
#define TERMS 14                         /* 2 to 4 terms with INTERLEAVED; else how many may be of interest at a time */
#define ALL_TERMS                        /* that many never are */
#endif
#ifndef VOTERS
#define VOTERS ((1 << N) - 1)            /* who votes while the log names nobody */
#endif
#define FOLLOWER 0
#define PRE 1
#define CANDIDATE 2
#define LEADER 3
#define NOBODY (N + 1)

#ifdef INTERLEAVED
#define ROWS (TERMS + 1)
#define ROW(t) (t)
#else
#define ROWS 1
#define ROW(t) 0
#endif
#define UNIT(i, k) unit[(i) * UNITS + (k)]
#define LED(t, k) led[ROW(t) * UNITS + (k)]
#define SAID(t, i) said[ROW(t) * N + (i)]
#define EPOCH(u) ((u) & 15)
#define NAMED(u) ((u) >> 4)
#define BIT(i) (1 << (i))
#define IN(set, i) (((set) >> (i)) & 1)
#define COUNT(set) (IN(set, 0) + IN(set, 1) + IN(set, 2) + IN(set, 3))
#define MOST(set, among) (2 * COUNT((set) & (among)) > COUNT(among))     /* Quorum.of */
#define END(i) (cut[i] != 0 -> cut[i] - 1 : size[i])                     /* LogState.end: while a cut is under way, where it will be */
#define LAST(i) (END(i) == 0 -> 0 : EPOCH(unit[(i) * UNITS + END(i) - 1]))
#define DURABLE(i) (pending[i] == 0)                                     /* Ballot.isDurable */

/* LogEnd.isAtLeast */
#ifdef NO_COMPARISON
#define AT_LEAST(j, i) 1
#else
#define AT_LEAST(j, i) (LAST(j) > LAST(i) || (LAST(j) == LAST(i) && END(j) >= END(i)))
#endif
/* LogState.held */
#ifdef NO_FORCE_OF_UNITS
#define HELD(i) size[i]
#else
#define HELD(i) flushed[i]
#endif
#ifdef CHANGES
#define VOTERS_OF(i) voters[i]
#define MAY_LEAD(i) (IN(voters[i], i) || IN(before[i], i))               /* Membership.mayLead, and more */
#else
#define VOTERS_OF(i) VOTERS
#define MAY_LEAD(i) 1
#endif

/* A node: its ballot, its role, its log and its session. */
byte term[N], durableTerm[N], pending[N]; /* pending: to whom a vote goes that is not durable yet, + 1; NOBODY of a term without a vote */
bit voted[N], durableVoted[N];
byte role[N], grants[N];
byte size[N], flushed[N], confirm[N], unit[N * UNITS];
byte cut[N];                             /* LogState.isCutting: where the log is to end, + 1 */
byte session[N];                         /* the term whose leader feeds it, 0 for none */
#ifdef CHANGES
byte configured = VOTERS, voters[N], before[N], factEnd[N]; /* Membership: what the newest fact of each log names, and the one before */
#endif

/* A leader of a term: its log and confirm offset as far as others may hear of it, and what they said they hold. */
byte led[ROWS * UNITS], ledEnd[ROWS], ledConfirm[ROWS], said[ROWS * N];

/* What is watched. */
byte hadLeader;                          /* a set of terms */
byte committed[UNITS], committedIn[UNITS], ncommitted;
byte highest;

hidden byte h, k, q, r, w, x, y;         /* scratch of one step */
hidden int key[N], x2;

/* ---- elections ---- */

inline follower(i) { role[i] = FOLLOWER; grants[i] = 0 }

inline later(i, to) {
  term[i] = to; voted[i] = 0; pending[i] = NOBODY; follower(i);
#ifndef NO_EPOCH_CHECK
  session[i] = 0
#endif
}

/* RaftNode.votePersisted: what was held back is said, and heard at once by a candidate that still is one (Elections.answered). */
inline persisted(i) {
  durableTerm[i] = term[i]; durableVoted[i] = voted[i];
  if
  :: pending[i] != NOBODY ->
       x = pending[i] - 1;
       if :: role[x] == CANDIDATE && term[x] == term[i] -> grants[x] = grants[x] | BIT(i) :: else fi
  :: else
  fi;
  pending[i] = 0
}

/* Elections.ask(PRE): nothing changes but what it is. */
inline askFirst(i) { follower(i); session[i] = 0; role[i] = PRE; grants[i] = BIT(i) }

/* Elections.asked(PRE) at v, answered at i: nobody is bound. */
inline wouldGrant(i, v) { grants[i] = grants[i] | BIT(v) }

/* Elections.ask(REAL). */
inline stand(i, to) {
  later(i, to); session[i] = 0; voted[i] = 1; pending[i] = i + 1; role[i] = CANDIDATE
#ifdef NO_FORCE_OF_VOTES
  ; grants[i] = BIT(i)
#endif
#ifdef VOTES_AT_ONCE
  ; persisted(i)
#endif
}

/* RaftNode.step and Elections.asked(REAL) at v, of a candidate whose own vote is durable. */
inline asked(v, c) {
  if :: term[c] > term[v] -> later(v, term[c]) :: else fi;
  if
  :: !voted[v] && AT_LEAST(c, v) ->                                       /* Ballot.mayGrant */
       follower(v); voted[v] = 1; pending[v] = c + 1;
#ifndef NO_EPOCH_CHECK
       session[v] = 0
#endif
#ifdef NO_FORCE_OF_VOTES
       ; grants[c] = grants[c] | BIT(v)
#endif
#ifdef VOTES_AT_ONCE
       ; persisted(v)
#endif
  :: else
  fi
}

/* ---- the log of a leader ---- */

inline appendUnit(i, u) {
  UNIT(i, size[i]) = u; size[i]++;
  k = 0;
  do :: k < size[i] -> LED(term[i], k) = UNIT(i, k); k++ :: else -> break od;
  ledEnd[ROW(term[i])] = size[i]
}

/* Elections.lead, Leader.begin and epochBegun. */
inline lead(i) {
  assert(!IN(hadLeader, ROW(term[i])));                                   /* election safety */
  hadLeader = hadLeader | BIT(ROW(term[i]));
  k = 0;
  do                                                                      /* leader completeness */
  :: k < ncommitted ->
       if :: committedIn[k] < term[i] -> assert(k < size[i] && UNIT(i, k) == committed[k]) :: else fi; k++
  :: else -> break
  od;
  role[i] = LEADER; grants[i] = 0;
  appendUnit(i, term[i]); ledConfirm[ROW(term[i])] = confirm[i]
}

/* Leader.change, with what is asked for before in the guard of the step. */
inline change(i, set) { appendUnit(i, term[i] + 16 * (set)) }

/* Follower.received: what the leader said is confirmed, as far as it is here. */
inline hear(i) {
  x2 = (ledConfirm[ROW(session[i])] < size[i] -> ledConfirm[ROW(session[i])] : size[i]);
  if :: x2 > confirm[i] -> confirm[i] = x2 :: else fi
}

/* Leader.advance and Peers.reached (R19), and all that is watched of it. */
inline advance(l) {
  r = size[l];
  do
  :: r > confirm[l] ->
       y = 0; k = 0;
       do
       :: k < N -> if :: (k == l && HELD(k) >= r) || (k != l && SAID(term[l], k) >= r) -> y = y | BIT(k) :: else fi; k++
       :: else -> break
       od;
#ifdef NO_COMMIT_RULE
       if :: MOST(y, VOTERS_OF(l)) -> break :: else -> r-- fi
#else
       if :: MOST(y, VOTERS_OF(l)) && EPOCH(UNIT(l, r - 1)) == term[l] -> break :: else -> r-- fi
#endif
  :: else -> break
  od;
  if
  :: r > confirm[l] ->
       y = 0; k = 0;
       do                                                                 /* a majority has it on the disk */
       :: k < N -> if :: flushed[k] >= r && UNIT(k, r - 1) == UNIT(l, r - 1) -> y = y | BIT(k) :: else fi; k++
       :: else -> break
       od;
       assert(MOST(y, VOTERS_OF(l)));
       confirm[l] = r; ledConfirm[ROW(term[l])] = r;
       k = 0;
       do                                                                 /* what is confirmed never changes */
       :: k < r ->
            if
            :: k < ncommitted -> assert(committed[k] == UNIT(l, k))
            :: else -> committed[k] = UNIT(l, k); committedIn[k] = term[l]; ncommitted = k + 1
            fi; k++
       :: else -> break
       od;
       k = 0;
       do
       :: k < N ->
            if :: session[k] == term[l] && k != l -> hear(k) :: else fi;
            if                                                            /* leader completeness of those that are elected already */
            :: role[k] == LEADER && term[k] > term[l] -> assert(size[k] >= r && UNIT(k, r - 1) == UNIT(l, r - 1))
            :: else
            fi;
            k++
       :: else -> break
       od
  :: else
  fi
}

/* Follower.tellHeld, Leader.held: heard at once by a leader that still leads. */
inline tellHeld(i) {
  if
  :: session[i] != 0 ->
       h = 0;
       do
       :: h < N -> if :: role[h] == LEADER && term[h] == session[i] && h != i -> break :: else -> h++ fi
       :: else -> break
       od;
       if
       :: h < N && HELD(i) > SAID(session[i], i) -> SAID(session[i], i) = HELD(i); advance(h)
       :: else
       fi
  :: else
  fi
}

/* ---- the log of a follower ---- */

/* EpochTable.atMost and endOf, of log i and of the leader's: the largest epoch up to x, and its end y. */
inline atMost(i) {
  y = size[i];
  do :: y > 0 -> if :: EPOCH(UNIT(i, y - 1)) > x -> y-- :: else -> break fi :: else -> break od;
  if :: y == 0 -> x = 0 :: else -> x = EPOCH(UNIT(i, y - 1)) fi
}
inline atMostLed(to) {
  y = ledEnd[ROW(to)];
  do :: y > 0 -> if :: EPOCH(LED(to, y - 1)) > x -> y-- :: else -> break fi :: else -> break od;
  if :: y == 0 -> x = 0 :: else -> x = EPOCH(LED(to, y - 1)) fi
}

/* RaftNode.truncated, LogState.cut: durably (R3). */
inline truncated(i) {
  do :: size[i] >= cut[i] -> size[i]--; UNIT(i, size[i]) = 0 :: else -> break od;
  if :: flushed[i] > size[i] -> flushed[i] = size[i] :: else fi;
  cut[i] = 0
}

/* RaftNode.led, Follower.led, taken and forked (ForkSearch): a session begins, or what parts from the leader's log is to go first. */
inline follow(i) {
  assert(role[i] != LEADER);                                              /* a leader cuts nothing */
  follower(i);
  x = LAST(i);
  do
  :: x == 0 -> q = 0; break
  :: else ->
       atMostLed(term[i]); q = y; r = x;
       atMost(i);
       if :: x == r -> if :: y < q -> q = y :: else fi; break :: else fi
  od;
  assert(q >= confirm[i]);                                                /* R19 */
  k = 0;
  do :: k < q -> assert(UNIT(i, k) == LED(term[i], k)); k++ :: else -> break od;
  if :: q < size[i] -> cut[i] = q + 1 :: else fi;                         /* LogState.beginCut */
#ifndef SLOW_CUTS
  if :: cut[i] != 0 -> truncated(i) :: else fi;
#endif
  if :: cut[i] == 0 -> session[i] = term[i]; hear(i); tellHeld(i) :: else fi
}

/* RaftNode.accepts and received: a unit of the session. Whoever sent it may lead no more. */
inline received(i) {
  UNIT(i, size[i]) = LED(session[i], size[i]); size[i]++;
  hear(i)
#ifdef NO_FORCE_OF_UNITS
  ; tellHeld(i)
#endif
}

/* RaftNode.flushed. */
inline flush(i) {
  flushed[i] = size[i];
  if :: role[i] == LEADER -> advance(i) :: else -> tellHeld(i) fi
}

/* The power goes, and with it what was not forced, from the end on; then Recovered. */
inline crash(i, keep) {
  term[i] = durableTerm[i]; voted[i] = durableVoted[i]; pending[i] = 0; session[i] = 0; cut[i] = 0; follower(i);
  do :: size[i] > keep -> size[i]--; UNIT(i, size[i]) = 0 :: else -> break od;
  flushed[i] = size[i];
  if :: confirm[i] > size[i] -> confirm[i] = size[i] :: else fi
}

#include "states.pml"

/* ---- the steps ---- */

#define MAY(guard, step) :: d_step { (guard) -> step }
#ifdef NO_LOSS
#define FORCED(i) flush(i)               /* each write is forced at once: a crash loses nothing, and is silence */
#else
#define FORCED(i) skip
#endif
#ifndef ROOM
#define ROOM(i) (size[i] < UNITS && cut[i] == 0)
#endif

#ifdef INTERLEAVED
/* Any message of a term that somebody has made durable. */
#define RAISE(i, to) MAY((to) <= TERMS && term[i] < (to) && REACHED(to), later(i, to))
#ifdef PRE_VOTES
#define STANDS(i) \
  MAY(role[i] != LEADER && role[i] != PRE && term[i] < TERMS && ROOM(i) && MAY_LEAD(i), askFirst(i)) \
  MAY(role[i] == PRE && DURABLE(i) && term[i] < TERMS && MOST(grants[i], VOTERS_OF(i)), stand(i, term[i] + 1)) \
  MAY(role[i] == FOLLOWER && session[i] != 0 && confirm[i] > 0 && LAST(i) == term[i] && term[i] < TERMS && ROOM(i) && MAY_LEAD(i), \
      stand(i, term[i] + 1))
#else
#define STANDS(i) MAY(role[i] != LEADER && term[i] < TERMS && ROOM(i) && MAY_LEAD(i), stand(i, term[i] + 1))
#endif
#define LEAVES(i) \
  MAY(role[i] == LEADER, follower(i)) \
  RAISE(i, 1) RAISE(i, 2) RAISE(i, 3) RAISE(i, 4)
#define CRASH_MATTERS(i, keep) ((keep) < size[i] || !DURABLE(i) || cut[i] != 0 || role[i] != FOLLOWER || session[i] != 0)
#define FOLLOWS(i, j) MAY(role[j] == LEADER && term[j] == term[i] && DURABLE(i) && session[i] != term[i] && cut[i] == 0, follow(i))
#define GRANTS(i, j) 1
#else
#define STANDS(i) \
  MAY(term[i] < highest && ROOM(i) && MAY_LEAD(i), stand(i, highest)) \
  MAY(highest < TERMS && ROOM(i) && MAY_LEAD(i), stand(i, highest + 1))
#define LEAVES(i)
#ifdef EVERY_CRASH
#define CRASH_MATTERS(i, keep) ((keep) < size[i] || !DURABLE(i) || cut[i] != 0)
#else
#define CRASH_MATTERS(i, keep) ((role[i] == LEADER && (keep) < size[i]) || !DURABLE(i) || cut[i] != 0)
#endif
#define FOLLOWS(i, j) \
  MAY(role[j] == LEADER && TURN(j) && term[i] <= term[j] && DURABLE(i) && session[i] != term[j] && cut[i] == 0, \
      if :: term[i] < term[j] -> later(i, term[j]); persisted(i) :: else fi; follow(i))
#define GRANTS(i, j) (!(term[j] == term[i] && voted[i]) && AT_LEAST(j, i))
#endif

#ifdef CHANGES
/* R15: the own epoch and the last change are confirmed, and one node is another. */
#ifdef UNESTABLISHED_CHANGES
#define ESTABLISHED(i) 1
#else
#define ESTABLISHED(i) (confirm[i] > 0 && EPOCH(UNIT(i, confirm[i] - 1)) == term[i])
#endif
#ifdef UNCONFIRMED_CHANGES
#define SETTLED(i) 1
#else
#define SETTLED(i) (factEnd[i] <= confirm[i])
#endif
#define CHANGE(i, set) \
  MAY(role[i] == LEADER && TURN(i) && size[i] < UNITS && ESTABLISHED(i) && SETTLED(i) && (set) != 0, change(i, set); members(); FORCED(i))
#ifdef WIDE_CHANGES
#define CHANGE_OF(i, j) CHANGE(i, voters[i] ^ BIT(j)) CHANGE(i, voters[i] ^ BIT(j) ^ BIT((j + 1) % N))
#else
#define CHANGE_OF(i, j) CHANGE(i, voters[i] ^ BIT(j))
#endif
#else
#define CHANGE_OF(i, j)
#endif

#define CRASH(i, keep) \
  MAY(TURN(i) && flushed[i] <= (keep) && (keep) <= size[i] && CRASH_MATTERS(i, keep), crash(i, keep))

#define NODE(i) \
  CHANGE_OF(i, i) \
  MAY(!DURABLE(i), persisted(i)) \
  MAY(role[i] == CANDIDATE && TURN(i) && size[i] < UNITS && MOST(grants[i], VOTERS_OF(i)), lead(i); FORCED(i)) \
  MAY(TURN(i) && flushed[i] < size[i], flush(i)) \
  MAY(session[i] != 0 && size[i] < ledEnd[ROW(session[i])], received(i); FORCED(i)) \
  MAY(cut[i] != 0 && TURN(i), truncated(i)) \
  MAY(role[i] == LEADER && TURN(i) && size[i] < UNITS, appendUnit(i, term[i]); FORCED(i)) \
  LEAVES(i) CRASH(i, 0) CRASH(i, 1) CRASH(i, 2) CRASH(i, 3) CRASH(i, 4) CRASH(i, 5) \
  STANDS(i)

#ifdef PRE_VOTES
#define PRE_VOTE(i, j) \
  MAY(role[j] == PRE && DURABLE(j) && DURABLE(i) && term[j] >= term[i] && AT_LEAST(j, i) && !IN(grants[j], i), wouldGrant(j, i))
#else
#define PRE_VOTE(i, j)
#endif

#define PAIR(i, j) \
  PRE_VOTE(i, j) CHANGE_OF(i, j) FOLLOWS(i, j) \
  MAY(role[j] == CANDIDATE && TURN(j) && DURABLE(j) && (term[j] > term[i] || (term[j] == term[i] && !voted[i] && AT_LEAST(j, i))) \
      && GRANTS(i, j), asked(i, j))

init {
  d_step { members() };
end:
  do
  :: atomic {
       if
#if N > 3
       PAIR(0, 3) PAIR(1, 3) PAIR(2, 3) PAIR(3, 0) PAIR(3, 1) PAIR(3, 2)
       NODE(3)
#endif
       PAIR(0, 1) PAIR(0, 2) PAIR(1, 0) PAIR(1, 2) PAIR(2, 0) PAIR(2, 1)
       NODE(0) NODE(1) NODE(2)
       fi;
       d_step { settle() }
     }
  od
}

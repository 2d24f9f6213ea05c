/*
 * The Raft of a broker group, as the module `raft` builds it, small enough to be looked through whole: see README.md beside it.
 *
 * A unit is one step of the byte offset; its epoch number stands for (number, id), for one term has one leader (asserted). Messages
 * are not kept: what one node may hear of another is read off what that one has promised (`given`) or off its state at that moment; a
 * message that comes late is a step that is taken late, a lost one a step that is not taken. Each inline names the method it stands for.
 */
#ifndef N
#define N 3
#endif
#ifndef TERMS
#define TERMS 3
#endif
#ifndef UNITS
#define UNITS 3
#endif
#define FOLLOWER 0
#define CANDIDATE 1
#define LEADER 2
#define MAJORITY (N / 2 + 1)
#define AT(i, k) epoch[(i) * UNITS + (k)]
#define LAST(i) (ends[i] == 0 -> 0 : epoch[(i) * UNITS + ends[i] - 1])
#define ATLEAST(j, i) (LAST(j) > LAST(i) || (LAST(j) == LAST(i) && ends[j] >= ends[i]))

byte term[N], vote[N];          /* Ballot.vote: vote is the candidate + 1, 0 for none */
byte dterm[N], dvote[N];        /* Ballot.durable */
byte role[N], ends[N], flushed[N], confirm[N], epochEnd[N], grants[N], follows[N];
byte epoch[N * UNITS];
byte match[N * N];              /* Peers: of whom leads, by member */
byte given[(TERMS + 1) * N];    /* the vote that a node has promised durably in a term, + 1 */
byte leaderOf[TERMS + 1];       /* ghost: who led a term, + 1 */
byte committed[UNITS], ncommitted, committedIn[UNITS]; /* ghost: what was confirmed, and in which term first */

inline forget(i) { role[i] = FOLLOWER; grants[i] = 0; follows[i] = 0 }

/*
 * Elections.ask(PRE) and, granted by a majority, ask(REAL): Ballot.wouldGrant; who hears a leader is any subset, so silence is not modelled.
 * A successor asks for real at once (Elections.ask of a transfer): when it has all that its leader has.
 */
inline stand(i) {
  n = 0;
  for (k : 0 .. N - 1) { if :: (term[k] <= term[i] && ATLEAST(i, k)) -> n++ :: else fi }
  if :: (follows[i] > 0 && ends[i] == ends[follows[i] - 1]) -> n = N :: else fi;
  if :: (n >= MAJORITY && role[i] != LEADER && term[i] < TERMS) -> term[i]++; vote[i] = i + 1; forget(i); role[i] = CANDIDATE :: else fi
}

/* RaftNode.votePersisted. */
inline persist(i) {
  dterm[i] = term[i]; dvote[i] = vote[i];
  if :: dvote[i] > 0 -> given[dterm[i] * N + i] = dvote[i] :: else fi
}

/* Elections.asked(REAL) at i, of candidate j, which asks only with its own vote durable: Ballot.mayGrant. */
inline ask(j, i) {
  if :: (role[j] == CANDIDATE && dterm[j] == term[j] && dvote[j] == j + 1 && term[j] >= term[i]) ->
       if :: term[j] > term[i] -> term[i] = term[j]; vote[i] = 0; forget(i) :: else fi;
       if :: (vote[i] == 0 && ATLEAST(j, i)) -> vote[i] = j + 1 :: else fi
     :: else fi
}

/* Elections.answered at j: nothing of a term is said before it is durable (R36). */
inline answer(i, j) {
  if :: (role[j] == CANDIDATE && given[term[j] * N + i] == j + 1) -> grants[j] = grants[j] | (1 << i) :: else fi
}

inline count(i) { n = 0; for (k : 0 .. N - 1) { if :: ((grants[i] >> k) & 1) -> n++ :: else fi } }

/* Elections.lead, Leader.epochBegun. */
inline lead(i) {
  count(i);
  if :: (role[i] == CANDIDATE && n >= MAJORITY && ends[i] < UNITS) ->
       assert(leaderOf[term[i]] == 0 || leaderOf[term[i]] == i + 1);      /* election safety */
       leaderOf[term[i]] = i + 1;
       for (k : 0 .. UNITS - 1) {                                          /* leader completeness */
         if :: (k < ncommitted && committedIn[k] < term[i]) -> assert(k < ends[i] && AT(i, k) == committed[k]) :: else fi
       }
       role[i] = LEADER; AT(i, ends[i]) = term[i]; ends[i]++; epochEnd[i] = ends[i];
       for (k : 0 .. N - 1) { match[i * N + k] = 0 }
     :: else fi
}

inline append(i) { if :: (role[i] == LEADER && ends[i] < UNITS) -> AT(i, ends[i]) = term[i]; ends[i]++ :: else fi }

/* Follower.led, taken, forked: only with the term durable; the fork is where the epochs part (ForkSearch). */
inline follow(i, j) {
  if :: (role[j] == LEADER && term[j] > term[i]) -> term[i] = term[j]; vote[i] = 0; forget(i)
     :: (role[j] == LEADER && term[j] == term[i] && dterm[i] == term[i] && dvote[i] == vote[i] && i != j && follows[i] == 0) ->
       role[i] = FOLLOWER; n = 0;
       do :: (n < ends[i] && n < ends[j] && AT(i, n) == AT(j, n)) -> n++ :: else -> break od;
       assert(n >= confirm[i]);                                            /* R19 */
       assert(role[i] != LEADER);                                          /* leader append-only */
       for (k : 0 .. UNITS - 1) { if :: k >= n -> AT(i, k) = 0 :: else fi }
       ends[i] = n; if :: flushed[i] > n -> flushed[i] = n :: else fi;
       follows[i] = j + 1; match[j * N + i] = 0
     :: else fi
}

/* Follower.received: one unit, and what is confirmed, of a session that is accepted. A leader that was deposed still sends. */
inline receive(i) {
  if :: follows[i] > 0 ->
       j = follows[i] - 1;
       if :: (role[j] == LEADER && term[j] == term[i]) ->
            if :: ends[i] < ends[j] -> AT(i, ends[i]) = AT(j, ends[i]); ends[i]++ :: else fi;
            n = (confirm[j] < ends[i] -> confirm[j] : ends[i]);
            if :: n > confirm[i] -> confirm[i] = n :: else fi
          :: else fi
     :: else fi
}

inline flush(i) { flushed[i] = ends[i] }

/* Leader.held and advance: Quorum.reached, the leader with its own flush, at or beyond its own epoch (R19). */
inline held(i) {
  if :: (follows[i] > 0 && role[follows[i] - 1] == LEADER && term[follows[i] - 1] == term[i]) -> match[(follows[i] - 1) * N + i] = flushed[i] :: else fi
}
inline advance(i) {
  if :: role[i] == LEADER ->
       for (j : 1 .. UNITS) {
         n = (flushed[i] >= j -> 1 : 0);
         for (k : 0 .. N - 1) { if :: (k != i && match[i * N + k] >= j) -> n++ :: else fi }
         if :: (n >= MAJORITY && j >= epochEnd[i] && j > confirm[i]) -> confirm[i] = j :: else fi
       }
       for (k : 0 .. UNITS - 1) {                                          /* state machine safety */
         if :: (k < confirm[i] && k < ncommitted) -> assert(committed[k] == AT(i, k))
            :: (k < confirm[i] && k >= ncommitted) -> committed[k] = AT(i, k); committedIn[k] = term[i]; ncommitted = k + 1
            :: else fi
       }
     :: else fi
}

/* Power goes: what was not forced may go too, and a vote that was not durable does. Recovered. */
inline crash(i) {
  term[i] = dterm[i]; vote[i] = dvote[i]; forget(i);
  do :: (ends[i] > flushed[i]) -> ends[i]--; AT(i, ends[i]) = 0 :: break od;
  flushed[i] = ends[i];
  if :: confirm[i] > ends[i] -> confirm[i] = ends[i] :: else fi
}

active proctype group() {
  byte a, b, j, k, n;
  do
  :: atomic {
       select(a : 0 .. N - 1); select(b : 0 .. N - 1);
       if
       :: true -> stand(a)
       :: true -> persist(a)
       :: true -> ask(a, b)
       :: true -> answer(a, b)
       :: true -> lead(a)
       :: true -> append(a)
       :: true -> follow(a, b)
       :: true -> receive(a)
       :: true -> flush(a)
       :: true -> held(a); 
       :: true -> advance(a)
       :: true -> crash(a)
       fi;
       n = 0; k = 0; j = 0
     }
  od
}

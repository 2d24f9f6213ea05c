/* What keeps the states of raft.pml few, and what is looked at in each of them. None of it stands for a method. */

/* Terms one after the other: who is behind the highest one is in none, and terms of which nothing is left are not counted. */
#ifdef INTERLEAVED
#define TURN(i) 1
#define REACHED(t) (durableTerm[0] >= (t) || durableTerm[1] >= (t) || durableTerm[2] >= (t) || durableTerm[N - 1] >= (t))
inline order() { highest = 0 }
#else
#define TURN(i) (term[i] == highest)
inline order() {
  x = highest; k = 0;
  do :: k < N -> if :: term[k] > highest -> highest = term[k] :: else fi; k++ :: else -> break od;
  if :: x != highest -> k = 0; ledEnd[0] = 0; ledConfirm[0] = 0; hadLeader = 0 :: else -> k = N fi;
  do :: k < N -> said[k] = 0; k++ :: else -> break od;
  k = (x != highest -> 0 : UNITS);
  do :: k < UNITS -> led[k] = 0; k++ :: else -> break od;
  k = 0;
  do
  :: k < N ->
       if :: term[k] < highest -> term[k] = 0; voted[k] = 0; pending[k] = 0; session[k] = 0; follower(k) :: else fi;
       if :: durableTerm[k] < highest -> durableTerm[k] = 0; durableVoted[k] = 0 :: else fi;
       k++
  :: else -> break
  od;
  k = 0;
  do :: k < UNITS -> committedIn[k] = 0; k++ :: else -> break od;
  w = highest;
  do
  :: w > 1 ->
       w--; x = 1; k = 0;
       do :: k < N * UNITS -> if :: EPOCH(unit[k]) == w -> x = 0 :: else fi; k++ :: else -> break od;
       k = 0;
       do :: k < UNITS -> if :: EPOCH(led[k]) == w || EPOCH(committed[k]) == w -> x = 0 :: else fi; k++ :: else -> break od;
       if
       :: x ->                                                            /* nothing is left of the term w: the later ones move up */
            k = 0;
            do :: k < N * UNITS -> if :: EPOCH(unit[k]) > w -> unit[k]-- :: else fi; k++ :: else -> break od;
            k = 0;
            do
            :: k < UNITS ->
                 if :: EPOCH(led[k]) > w -> led[k]-- :: else fi;
                 if :: EPOCH(committed[k]) > w -> committed[k]-- :: else fi; k++
            :: else -> break
            od;
            k = 0;
            do
            :: k < N ->
                 if :: term[k] > w -> term[k]-- :: else fi;
                 if :: durableTerm[k] > w -> durableTerm[k]-- :: else fi;
                 if :: session[k] > w -> session[k]-- :: else fi; k++
            :: else -> break
            od;
            highest--
       :: else
       fi
  :: else -> break
  od
}
#endif

/* What nobody can hear any more, or nobody asks for. */
inline forget() {
#ifdef INTERLEAVED
  w = 1;
  do
  :: w <= TERMS ->
#else
  w = highest;
#endif
       x = 0; y = 0; k = 0;
       do
       :: k < N ->
            if :: role[k] == LEADER && term[k] == w -> x = 1 :: else fi;
            if :: session[k] == w && size[k] < ledEnd[ROW(w)] -> y = 1 :: else fi;
            k++
       :: else -> break
       od;
       k = 0;
       do
       :: k < N ->
            if :: !x && !y && session[k] == w -> session[k] = 0 :: else fi;
            if :: !x || SAID(w, k) <= ledConfirm[ROW(w)] -> SAID(w, k) = 0 :: else fi;
            k++
       :: else -> break
       od;
       if
       :: !x && !y ->
            k = 0;
            do :: k < UNITS -> LED(w, k) = 0; k++ :: else -> break od;
            ledEnd[ROW(w)] = 0; ledConfirm[ROW(w)] = 0
       :: else
       fi;
#ifdef INTERLEAVED
       w++
  :: else -> break
  od;
  x = TERMS; k = 0;
  do :: k < N -> if :: durableTerm[k] < x -> x = durableTerm[k] :: else fi; k++ :: else -> break od;
  w = 1;
  do :: w < x -> hadLeader = hadLeader & (255 - BIT(w)); w++ :: else -> break od;
  k = 0;
  do :: k < ncommitted -> if :: committedIn[k] < x -> committedIn[k] = 0 :: else fi; k++ :: else -> break od
#endif
}

inline members() {
#ifdef CHANGES
  h = 0;
  do
  :: h < N ->
       voters[h] = configured; before[h] = configured; factEnd[h] = 0; k = 0;
       do
       :: k < size[h] ->
            if :: NAMED(UNIT(h, k)) != 0 -> before[h] = voters[h]; voters[h] = NAMED(UNIT(h, k)); factEnd[h] = k + 1 :: else fi; k++
       :: else -> break
       od;
       h++
  :: else -> break
  od;
#endif
  h = 0
}

inline watch() {
  /* What must be possible, so that all that holds says something. */
#ifdef SEEN_CONFIRMED
  assert(!(confirm[0] == UNITS && confirm[1] == UNITS && confirm[2] == UNITS && EPOCH(committed[0]) != EPOCH(committed[UNITS - 1])));
#endif
#ifdef SEEN_MEMBERS
  assert(!(ncommitted > 2 && COUNT(NAMED(committed[1])) == 4 && COUNT(NAMED(committed[2])) == 3));
#endif
  h = 0;
  do
  :: h < N ->
       assert(confirm[h] <= ncommitted && confirm[h] <= size[h] && flushed[h] <= size[h]);
       k = 0;
       do :: k < confirm[h] -> assert(UNIT(h, k) == committed[k]); k++ :: else -> break od;
       w = h + 1;
       do
       :: w < N ->                                                        /* log matching */
            k = UNITS; x = 0;
            do
            :: k > 0 ->
                 k--;
                 if :: UNIT(h, k) != 0 && EPOCH(UNIT(h, k)) == EPOCH(UNIT(w, k)) -> x = 1 :: else fi;
                 assert(!x || UNIT(h, k) == UNIT(w, k))
            :: else -> break
            od;
            w++
       :: else -> break
       od;
       h++
  :: else -> break
  od
}

/* Nodes are alike but for their names: they are put in an order. */
inline weigh(i) {
  key[i] = role[i] + 4 * size[i] + 32 * flushed[i] + 256 * confirm[i] + 2048 * voted[i] + 4096 * (session[i] != 0);
  if :: pending[i] == NOBODY -> key[i] = key[i] + 8192 :: pending[i] != 0 && pending[i] != NOBODY -> key[i] = key[i] + 16384 :: else fi;
  if :: pending[i] == i + 1 -> key[i] = key[i] + 8192 :: else fi;
  key[i] = ((key[i] * 5 + term[i]) * 5 + durableTerm[i]) * 5 + cut[i];
#ifdef CHANGES
  key[i] = key[i] * 2 + IN(configured, i);
#endif
  k = 0;
  do :: k < size[i] -> key[i] = key[i] * 7 + EPOCH(UNIT(i, k)); k++ :: else -> break od
}

#define SWAP(a, i, j) y = a[i]; a[i] = a[j]; a[j] = y
#define SWAP_BITS(m, i, j) m = (m & (255 - BIT(i) - BIT(j))) | (IN(m, i) << (j)) | (IN(m, j) << (i))
#define SWAP_NAMED(u, i, j) if :: NAMED(u) != 0 -> q = NAMED(u); SWAP_BITS(q, i, j); u = EPOCH(u) + 16 * q :: else fi

inline exchange(i, j) {
  if
  :: key[i] > key[j] ->
       SWAP(key, i, j);
       SWAP(term, i, j); SWAP(durableTerm, i, j); SWAP(pending, i, j); SWAP(voted, i, j); SWAP(durableVoted, i, j);
       SWAP(role, i, j); SWAP(grants, i, j); SWAP(session, i, j);
       SWAP(size, i, j); SWAP(flushed, i, j); SWAP(confirm, i, j); SWAP(cut, i, j);
       k = 0;
       do :: k < UNITS -> y = UNIT(i, k); UNIT(i, k) = UNIT(j, k); UNIT(j, k) = y; k++ :: else -> break od;
       k = 0;
       do :: k < ROWS -> y = said[k * N + i]; said[k * N + i] = said[k * N + j]; said[k * N + j] = y; k++ :: else -> break od;
       k = 0;
       do
       :: k < N ->
            SWAP_BITS(grants[k], i, j);
            if :: pending[k] == i + 1 -> pending[k] = j + 1 :: pending[k] == j + 1 -> pending[k] = i + 1 :: else fi; k++
       :: else -> break
       od;
#ifdef CHANGES
       SWAP_BITS(configured, i, j);
       k = 0;
       do :: k < N * UNITS -> SWAP_NAMED(unit[k], i, j); k++ :: else -> break od;
       k = 0;
       do :: k < ROWS * UNITS -> SWAP_NAMED(led[k], i, j); k++ :: else -> break od;
       k = 0;
       do :: k < UNITS -> SWAP_NAMED(committed[k], i, j); k++ :: else -> break od
#endif
  :: else
  fi
}

inline settle() {
  order();
  forget();
  watch();
#ifdef ALL_TERMS
  assert(highest < TERMS);
#endif
#ifndef NAMED_NODES
  weigh(0); weigh(1); weigh(2);
#if N > 3
  weigh(3);
  exchange(0, 1); exchange(2, 3); exchange(0, 2); exchange(1, 3); exchange(1, 2);
#else
  exchange(0, 1); exchange(1, 2); exchange(0, 1);
#endif
#endif
  members()
}


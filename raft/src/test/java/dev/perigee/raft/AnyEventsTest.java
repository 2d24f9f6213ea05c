package dev.perigee.raft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.raft.RaftConfig.HeldWhen;
import dev.perigee.raft.RaftMessage.Held;
import dev.perigee.raft.RaftMessage.Hello;
import dev.perigee.raft.RaftMessage.HelloAnswer;
import dev.perigee.raft.RaftMessage.Lead;
import dev.perigee.raft.RaftMessage.LeadAnswer;
import dev.perigee.raft.RaftMessage.Phase;
import dev.perigee.raft.RaftMessage.Reason;
import dev.perigee.raft.RaftMessage.TransferNow;
import dev.perigee.raft.RaftMessage.VoteAnswer;
import dev.perigee.raft.RaftMessage.VoteRequest;
import dev.perigee.raft.Recovered.Condition;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import dev.perigee.raft.member.MembersFact;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * One node, told any events that two others and a disk may tell it, in any order: what it promised it keeps. The others need not make
 * sense, but for two things that no group can break: one leader in a term, and what is confirmed is not cut.
 */
final class AnyEventsTest {
    private static final int SEEDS = 200;
    private static final int EVENTS = 400;
    private static final int[] STEPS_OF_TERMS = {0, 0, 0, 0, 0, 0, -1, -1, 1, 2};
    private static final Members THREE =
            Members.ofVoters(List.of(new Member("n0", 1, "a"), new Member("n1", 2, "b"), new Member("n2", 3, "c")));

    @Test
    void aNodeKeepsWhatItPromised() {
        int leading = 0;
        int voted = 0;
        int cut = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            Course course = new Course(seed);
            course.run();
            leading += course.leading;
            voted += course.votes.size();
            cut += course.cuts;
        }
        assertThat(leading).as("elections it won").isGreaterThan(SEEDS / 4);
        assertThat(voted).as("terms it voted in").isGreaterThan(SEEDS);
        assertThat(cut).as("cuts").isGreaterThan(SEEDS / 10);
    }

    /** The course of one seed, with what the node has promised so far. */
    private static final class Course {
        private final long seed;
        private final SplittableRandom chance;
        private final Map<Integer, String> votes = new HashMap<>();
        private final Map<Integer, String> leaders = new HashMap<>();
        private RaftNode node;
        private Vote asked = new Vote(1, Optional.empty());
        private Vote durable = asked;
        private LogEnd end = new LogEnd(1, 1, 100);
        private long forced = 100;
        private long generation = 1;
        private long confirm;
        private long nowMs;
        private long session;
        private long helloSession;
        private long cutTo = -1;
        private boolean leads;
        private int leading;
        private int cuts;

        Course(long seed) {
            this.seed = seed;
            this.chance = new SplittableRandom(seed);
            this.node = start();
        }

        private RaftNode start() {
            generation++;
            end = endAt(forced);
            cutTo = -1;
            asked = durable;
            // A vote that was not durable was said to nobody: it may be given anew.
            votes.keySet().removeIf(term -> term > durable.term());
            if (durable.candidate().isEmpty()) {
                votes.remove(durable.term());
            }
            leads = false;
            session = 0;
            confirm = Math.min(confirm, end.endOffset());
            return new RaftNode(
                    new RaftConfig("n0", 1, THREE, 100, 20, HeldWhen.FORCED),
                    new Recovered(
                            durable, end, generation, confirm, List.of(new MembersFact(THREE, 10)), Condition.SOUND),
                    chance::nextLong);
        }

        /** What is left when the log is cut: of which epoch the rest is does not matter here, so it is of the first. */
        private LogEnd endAt(long offset) {
            return offset >= end.endOffset() ? end : new LogEnd(1, 1, offset);
        }

        void run() {
            act(raft -> raft.tick(nowMs));
            for (int i = 0; i < EVENTS; i++) {
                event();
            }
        }

        private void event() {
            switch (chance.nextInt(14)) {
                case 0, 1, 2 -> {
                    nowMs += chance.nextInt(30);
                    act(raft -> raft.tick(nowMs));
                }
                case 3 -> act(raft -> raft.votePersisted(persisted()));
                case 4 -> flush();
                case 5 -> append();
                case 6 -> receive();
                case 7 -> finishCut();
                case 8 -> act(raft -> raft.connectionLost(other()));
                case 9 -> {
                    if (chance.nextInt(20) == 0) {
                        node = start();
                        act(raft -> raft.tick(nowMs));
                    }
                }
                default -> {
                    RaftMessage message = message();
                    act(raft -> raft.step(message));
                }
            }
        }

        private String other() {
            return chance.nextBoolean() ? "n1" : "n2";
        }

        private Vote persisted() {
            durable = asked;
            return durable;
        }

        private void flush() {
            long ofGeneration = chance.nextInt(4) == 0 ? generation - 1 : generation;
            if (ofGeneration == generation && cutTo < 0) {
                forced = end.endOffset();
            }
            act(raft -> raft.flushed(ofGeneration, end.endOffset()));
        }

        private void append() {
            if (node.admits()) {
                end = new LogEnd(node.term(), node.term(), end.endOffset() + 10);
                act(raft -> raft.appended(end));
            }
        }

        private void receive() {
            if (node.accepts(session)) {
                end = new LogEnd(Math.max(end.epoch(), node.term()), node.term(), end.endOffset() + chance.nextInt(20));
                long told = chance.nextLong(end.endOffset() + 50);
                act(raft -> raft.received(session, told, end));
            }
        }

        private void finishCut() {
            if (cutTo >= 0) {
                end = endAt(cutTo);
                forced = cutTo;
                cutTo = -1;
                generation++;
                cuts++;
                act(raft -> raft.truncated(generation, end));
            }
        }

        private RaftMessage message() {
            String from = other();
            int term = Math.max(1, node.term() + STEPS_OF_TERMS[chance.nextInt(STEPS_OF_TERMS.length)]);
            LogEnd log = new LogEnd(end.epoch() + chance.nextInt(3), 1, chance.nextLong(2 * end.endOffset() + 1));
            boolean isPre = node.role().kind() == Role.Kind.PRE_CANDIDATE;
            Phase phase = isPre == (chance.nextInt(5) > 0) ? Phase.PRE : Phase.REAL;
            Reason[] reasons = Reason.values();
            return switch (chance.nextInt(9)) {
                case 0 ->
                    new VoteRequest(
                            from,
                            "n0",
                            term,
                            phase,
                            reasons[chance.nextInt(reasons.length)],
                            log,
                            chance.nextInt(4) == 0 ? "n0,n1" : "");
                case 1, 2, 8 -> voteAnswer(from, phase, log);
                case 3 -> lead(from, term);
                case 4 -> {
                    helloSession = chance.nextLong() | 1;
                    yield new Hello(from, "n0", term, helloSession, from.equals("n1") ? 2 : 3, Condition.SOUND, log);
                }
                case 5 -> new Held(from, "n0", term, helloSession, chance.nextLong(end.endOffset() + 1));
                case 6 ->
                    new LeadAnswer(
                            from,
                            "n0",
                            term,
                            helloSession,
                            chance.nextLong(end.endOffset() + 1),
                            0,
                            from.equals("n1") ? 2 : 3);
                default ->
                    chance.nextBoolean()
                            ? new TransferNow(from, "n0", term)
                            : new HelloAnswer(from, "n0", term, session, end.endOffset(), false, "");
            };
        }

        private RaftMessage voteAnswer(String from, Phase phase, LogEnd log) {
            boolean granted = chance.nextInt(4) > 0;
            int term = node.term() + (granted && phase == Phase.PRE ? 1 : 0) - (chance.nextInt(5) == 0 ? 1 : 0);
            long nodeId = from.equals("n1") ? 2 : 3;
            return new VoteAnswer(
                    from, "n0", term, phase, granted, nodeId, Condition.SOUND, log, chance.nextInt(4) > 0 ? end : log);
        }

        /** Of whom leads a term there is one; where this node leads there is no other. */
        private RaftMessage lead(String from, int term) {
            String leader = leaders.computeIfAbsent(term, unknown -> from);
            return leader.equals("n0") || votes.getOrDefault(term, "").equals("n0")
                    ? new LeadAnswer(from, "n0", term, 0, 0, 0, 2)
                    : new Lead(leader, "n0", term, session, 0);
        }

        // ---- what must hold ----

        private void act(Function<RaftNode, Effects> event) {
            int termBefore = node.term();
            Effects effects = event.apply(node);
            assertThat(node.term()).as("term, seed %d", seed).isGreaterThanOrEqualTo(termBefore);
            boolean leadsNow = node.role().kind() == Role.Kind.LEADER;
            boolean leadsOn = leads && leadsNow && node.term() == termBefore;
            assertThat(effects.steppedDown()).as("stepped down, seed %d", seed).isEqualTo(leads && !leadsOn);
            leads = leadsNow;
            carryOut(effects);
        }

        private void carryOut(Effects effects) {
            effects.persist().ifPresent(vote -> {
                asked = vote;
                vote.candidate().ifPresent(candidate -> {
                    String before = votes.putIfAbsent(vote.term(), candidate);
                    assertThat(before)
                            .as("vote in term %d, seed %d", vote.term(), seed)
                            .isIn(null, candidate);
                });
            });
            effects.truncate().ifPresent(offset -> {
                assertThat(offset).as("cut, seed %d", seed).isGreaterThanOrEqualTo(confirm);
                end = endAt(offset);
                forced = Math.min(forced, offset);
                cutTo = offset;
            });
            effects.confirm().ifPresent(offset -> {
                assertThat(offset).as("confirm, seed %d", seed).isBetween(confirm + 1, end.endOffset());
                confirm = offset;
            });
            effects.send().forEach(this::check);
            effects.follow().ifPresent(following -> {
                long fork = confirm + chance.nextLong(end.endOffset() - confirm + 1);
                act(raft -> raft.forked(following.session(), endAt(fork)));
            });
            effects.epochToBegin().ifPresent(term -> {
                leading++;
                leaders.put(term, "n0");
                end = new LogEnd(term, term, end.endOffset() + 10);
                act(raft -> raft.epochBegun(end));
            });
            effects.append().ifPresent(members -> act(raft -> raft.membersRefused()));
        }

        /** R36: nothing of a term before that term, and the vote in it, is durable; R1: nothing is held that was not forced. */
        private void check(RaftMessage message) {
            boolean isQuestion = message instanceof VoteRequest request && request.phase() == Phase.PRE;
            boolean isPromise = !isQuestion && !(message instanceof VoteAnswer pre && pre.phase() == Phase.PRE);
            if (isPromise) {
                assertThat(durable.term())
                        .as("durable term for %s, seed %d", message, seed)
                        .isEqualTo(message.term());
            }
            if (message instanceof VoteAnswer answer && answer.phase() == Phase.REAL && answer.granted()) {
                assertThat(durable.candidate())
                        .as("durable vote, seed %d", seed)
                        .contains(answer.to());
            }
            if (message instanceof VoteRequest request && request.phase() == Phase.REAL) {
                assertThat(durable.candidate())
                        .as("durable vote, seed %d", seed)
                        .contains("n0");
            }
            if (message instanceof Hello hello) {
                session = hello.session();
            }
            if (message instanceof Held held) {
                assertThat(held.endOffset()).as("held, seed %d", seed).isLessThanOrEqualTo(forced);
            }
        }
    }
}

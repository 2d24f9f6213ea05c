package dev.perigee.raft.script;

import dev.perigee.raft.Effects;
import dev.perigee.raft.Fitness;
import dev.perigee.raft.LogEnd;
import dev.perigee.raft.RaftConfig;
import dev.perigee.raft.RaftConfig.HeldWhen;
import dev.perigee.raft.RaftMessage;
import dev.perigee.raft.RaftNode;
import dev.perigee.raft.Recovered;
import dev.perigee.raft.Recovered.Condition;
import dev.perigee.raft.Vote;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import dev.perigee.raft.member.MembersChange;
import dev.perigee.raft.member.MembersFact;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.epoch.EpochTable;
import dev.perigee.store.epoch.ForkSearch;
import dev.perigee.store.epoch.LogExtent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a scenario with their disks, and what is under way between them. Nothing happens by itself but what the scenario leaves to
 * it: by default votes are durable at once, logs are forced at once, and forks are found and cut at once.
 */
final class Stage {
    static final long ELECTION_MS = 100;
    private static final long STEP_MS = 10;
    private static final int MOST_DELIVERIES = 500;

    /** One node with its disk. */
    private static final class Host {
        private final long nodeId;
        private @Nullable RaftNode started;
        private Vote voteOnDisk;
        private Vote voteAsked;
        private EpochTable epochs = EpochTable.EMPTY;
        private long end;
        private long forced;
        private long confirmKept;
        private long generation = 1;
        private long cutTo = -1;
        private long nowMs = 1_000;
        private Condition condition = Condition.SOUND;
        private Effects.Following following = new Effects.Following(0, "", 0);
        private final Map<Long, Members> facts = new LinkedHashMap<>();

        private Host(long nodeId) {
            this.nodeId = nodeId;
            this.voteOnDisk = Vote.NONE;
            this.voteAsked = Vote.NONE;
        }

        private RaftNode raft() {
            return Objects.requireNonNull(started);
        }

        private LogEnd logEnd() {
            return endAt(end);
        }

        private LogEnd endAt(long offset) {
            return epochs.cutTo(offset)
                    .last()
                    .map(epoch -> new LogEnd(epoch.number(), epoch.id(), offset))
                    .orElse(new LogEnd(0, 0, offset));
        }
    }

    private final Map<String, Host> hosts = new LinkedHashMap<>();
    private final List<RaftMessage> underWay = new ArrayList<>();
    private final List<String> output = new ArrayList<>();
    private final List<String> byHand = new ArrayList<>();
    private Members members = Members.ofVoters(List.of(new Member("none", 1, "")));
    private HeldWhen heldWhen = HeldWhen.FORCED;
    /** Nodes that nothing comes to and nothing comes from. */
    private final List<String> apart = new ArrayList<>();

    private long numbers = 1;
    private String acting = "";

    /** Carries out one line; gives what came of it. */
    List<String> carryOut(String line) {
        output.clear();
        String[] words = line.split(" +");
        try {
            switch (words[0]) {
                case "group" -> group(words);
                case "node" -> node(words);
                case "byhand" -> byHand.addAll(List.of(words).subList(1, words.length));
                case "byitself" -> byHand.removeAll(List.of(words).subList(1, words.length));
                case "timeout" -> timeout(words[1]);
                case "stop" -> standStill(words[1], Long.parseLong(words[2]));
                case "tick" -> tick(words[1], Long.parseLong(words[2]));
                case "deliver" -> deliver(words);
                case "drop" -> drop(words);
                case "apart" -> apart.addAll(List.of(words).subList(1, words.length));
                case "together" -> apart.clear();
                case "persist" -> persist(words[1]);
                case "flush" -> flush(words[1]);
                case "flushed" ->
                    act(words[1], raft -> raft.flushed(Long.parseLong(words[2]), Long.parseLong(words[3])));
                case "cut" -> cut(words[1]);
                case "append" -> append(words[1], Long.parseLong(words[2]));
                case "stream" -> stream(words);
                case "power" -> power(words[1]);
                case "start" -> start(words[1]);
                case "say" -> step(said(words));
                case "lost" -> act(words[1], raft -> raft.connectionLost(words[2]));
                case "transfer" ->
                    act(words[1], raft -> words.length < 3 ? raft.transferToBest() : raft.transfer(words[2]));
                case "fit" -> act(words[1], raft -> raft.fit(Fitness.valueOf(words[2])));
                case "add" -> act(words[1], raft -> raft.change(new MembersChange.Add(memberOf(words[2]))));
                case "promote" -> act(words[1], raft -> raft.change(new MembersChange.Promote(words[2])));
                case "remove" -> act(words[1], raft -> raft.change(new MembersChange.Remove(words[2])));
                case "known" ->
                    output.add("  " + words[1] + ": known to all "
                            + host(words[1]).raft().isKnownToAll());
                case "show" -> hosts.forEach((id, host) -> output.add(id + " " + Words.of(host.raft())));
                default -> throw new IllegalArgumentException("no such line: " + line);
            }
        } catch (IllegalStateException e) {
            output.add("  " + acting + " STOPS: " + e.getMessage());
            hosts.remove(acting);
        }
        return List.copyOf(output);
    }

    // ---- who is there ----

    private static Member memberOf(String word) {
        String[] parts = word.split("/");
        return new Member(parts[0], Long.parseLong(parts[1]), "");
    }

    private void group(String[] words) {
        List<Member> voters = new ArrayList<>();
        for (String word : List.of(words).subList(1, words.length)) {
            if (word.equals("written")) {
                heldWhen = HeldWhen.WRITTEN;
            } else {
                voters.add(memberOf(word));
            }
        }
        members = Members.ofVoters(voters);
    }

    /** {@code node n0/1 vote 2/n0 log 1:0 2:100 end 150 confirm 100}: epochs with where they begin. */
    private void node(String[] words) {
        Member self = memberOf(words[1]);
        Host host = new Host(self.nodeId());
        for (int i = 2; i < words.length; i++) {
            switch (words[i]) {
                case "vote" -> {
                    String[] vote = words[++i].split("/");
                    host.voteOnDisk = new Vote(
                            Integer.parseInt(vote[0]), vote.length > 1 ? Optional.of(vote[1]) : Optional.empty());
                }
                case "end" -> host.end = Long.parseLong(words[++i]);
                case "confirm" -> host.confirmKept = Long.parseLong(words[++i]);
                case "restoring" -> host.condition = Condition.RESTORING;
                case "log" -> {}
                default -> {
                    String[] epoch = words[i].split(":");
                    int number = Integer.parseInt(epoch[0]);
                    host.epochs = host.epochs.add(new Epoch(number, number, Long.parseLong(epoch[1])));
                }
            }
        }
        if (host.end > 0) {
            host.facts.put(10L, members);
        }
        hosts.put(self.id(), host);
        start(self.id());
    }

    private void start(String id) {
        Host host = host(id);
        host.generation++;
        host.forced = host.end;
        host.voteAsked = host.voteOnDisk;
        List<MembersFact> found = new ArrayList<>();
        host.facts.forEach((end, fact) -> found.add(new MembersFact(fact, end)));
        Members known = members.isVoter(id) ? members : members.withVoter(new Member(id, host.nodeId, ""));
        Members configured = Members.ofVoters(known.voters().stream()
                .map(member -> new Member(member.id(), 0, ""))
                .toList());
        host.started = new RaftNode(
                new RaftConfig(id, host.nodeId, configured, ELECTION_MS, 20, heldWhen),
                new Recovered(
                        host.voteOnDisk,
                        host.logEnd(),
                        host.generation,
                        Math.min(host.confirmKept, host.end),
                        found,
                        host.condition),
                () -> numbers += 2);
        act(id, raft -> raft.tick(host.nowMs));
    }

    /** The power goes, and with it what was not forced, and a vote that was not durable. */
    private void power(String id) {
        Host host = host(id);
        host.end = host.forced;
        host.epochs = host.epochs.cutTo(host.end);
        host.facts.keySet().removeIf(end -> end > host.end);
        if (heldWhen == HeldWhen.WRITTEN) {
            host.condition = Condition.RESTORING;
        }
        underWay.removeIf(message -> message.from().equals(id));
    }

    private Host host(String id) {
        Host host = hosts.get(id);
        if (host == null) {
            throw new IllegalArgumentException("no node " + id);
        }
        return host;
    }

    // ---- time and messages ----

    private void tick(String id, long ms) {
        Host host = host(id);
        for (long until = host.nowMs + ms; host.nowMs < until; ) {
            host.nowMs += Math.min(STEP_MS, until - host.nowMs);
            act(id, raft -> raft.tick(host.nowMs));
        }
    }

    private void standStill(String id, long ms) {
        Host host = host(id);
        host.nowMs += ms;
        act(id, raft -> raft.tick(host.nowMs));
        output.add("  " + id + ": in touch " + (host.nowMs < host.raft().inTouchUntilMs()));
    }

    /** Time passes for a node alone until it asks somebody for something. */
    private void timeout(String id) {
        int before = underWay.size();
        for (long ms = 0; ms < 3 * ELECTION_MS && underWay.size() == before; ms += STEP_MS) {
            tick(id, STEP_MS);
        }
    }

    private static boolean isMeant(RaftMessage message, String[] words) {
        boolean pair = words.length < 2
                || words[1].equals("all")
                || words[1].equals(message.from() + ">" + message.to())
                || words[1].equals(">" + message.to())
                || words[1].equals(message.from() + ">");
        return pair && (words.length < 3 || words[2].equals(message.kind().name()));
    }

    /** {@code deliver all}, and what comes of it; {@code deliver n0>n1 KIND}: what is under way so, and nothing that comes of it. */
    private void deliver(String[] words) {
        boolean all = words[1].equals("all");
        List<RaftMessage> now = List.copyOf(underWay);
        int count = 0;
        if (all) {
            while (!underWay.isEmpty() && count++ < MOST_DELIVERIES) {
                step(underWay.remove(0));
            }
        } else {
            for (RaftMessage message : now) {
                if (isMeant(message, words)) {
                    underWay.remove(message);
                    step(message);
                }
            }
        }
    }

    private void drop(String[] words) {
        underWay.removeIf(message -> isMeant(message, words));
    }

    /** {@code say n1>n0 HELD t1 session 5 held 100}: a message from outside of the scenario. */
    private static RaftMessage said(String[] words) {
        String[] pair = words[1].split(">");
        int term = Integer.parseInt(words[3].substring(1));
        return switch (words[2]) {
            case "HELD" ->
                new RaftMessage.Held(pair[0], pair[1], term, Long.parseLong(words[5]), Long.parseLong(words[7]));
            case "LEAD" ->
                new RaftMessage.Lead(pair[0], pair[1], term, words.length > 5 ? Long.parseLong(words[5]) : 0, 0);
            case "VOTE_REQUEST" ->
                new RaftMessage.VoteRequest(
                        pair[0],
                        pair[1],
                        term,
                        RaftMessage.Phase.REAL,
                        RaftMessage.Reason.SILENCE,
                        logEnd(words[5]),
                        words.length > 7 ? words[7] : "");
            case "VOTE_ANSWER" ->
                new RaftMessage.VoteAnswer(
                        pair[0],
                        pair[1],
                        term,
                        RaftMessage.Phase.valueOf(words[4]),
                        true,
                        pair[0].charAt(1) - '0' + 1, // as scenarios number them
                        Condition.SOUND,
                        logEnd(words[6]),
                        logEnd(words[8]));
            case "TRANSFER_NOW" -> new RaftMessage.TransferNow(pair[0], pair[1], term);
            default -> throw new IllegalArgumentException("nobody says " + words[2]);
        };
    }

    private static LogEnd logEnd(String word) {
        String[] parts = word.split(":");
        int epoch = Integer.parseInt(parts[0]);
        return new LogEnd(epoch, epoch, Long.parseLong(parts[1]));
    }

    private void step(RaftMessage message) {
        boolean arrives = !apart.contains(message.from()) && !apart.contains(message.to());
        if (arrives && hosts.containsKey(message.to())) {
            output.add(Words.of(message));
            act(message.to(), raft -> raft.step(message));
        }
    }

    // ---- effects ----

    private void act(String id, Function<RaftNode, Effects> event) {
        Host host = host(id);
        acting = id;
        Effects effects = event.apply(host.raft());
        Words.of(effects).forEach(line -> output.add("  " + id + ": " + line));
        underWay.addAll(effects.send());
        if (effects.restored()) {
            host.condition = Condition.SOUND;
        }
        effects.confirm().ifPresent(offset -> host.confirmKept = offset);
        effects.persist().ifPresent(vote -> {
            host.voteAsked = vote;
            doneUnless("persist", id, this::persist);
        });
        effects.truncate().ifPresent(offset -> {
            host.cutTo = offset;
            doneUnless("cut", id, this::cut);
        });
        effects.follow().ifPresent(following -> compare(id, following));
        effects.epochToBegin().ifPresent(term -> {
            grow(host, term, 10);
            act(id, raft -> raft.epochBegun(host.logEnd()));
            doneUnless("flush", id, this::flush);
        });
        effects.append().ifPresent(changed -> {
            grow(host, host.raft().term(), 10);
            host.facts.put(host.end, changed);
            act(id, raft -> raft.membersFound(new MembersFact(changed, host.end)));
            act(id, raft -> raft.appended(host.logEnd()));
            doneUnless("flush", id, this::flush);
        });
    }

    private void doneUnless(String what, String id, Consumer<String> done) {
        if (!byHand.contains(what)) {
            done.accept(id);
        }
    }

    private void persist(String id) {
        Host host = host(id);
        host.voteOnDisk = host.voteAsked;
        act(id, raft -> raft.votePersisted(host.voteOnDisk));
    }

    private void flush(String id) {
        Host host = host(id);
        if (host.forced < host.end) {
            host.forced = host.end;
            act(id, raft -> raft.flushed(host.generation, host.end));
        }
    }

    private void cut(String id) {
        Host host = host(id);
        host.end = host.cutTo;
        host.forced = host.end;
        host.epochs = host.epochs.cutTo(host.end);
        host.facts.keySet().removeIf(end -> end > host.end);
        host.generation++;
        act(id, raft -> raft.truncated(host.generation, host.logEnd()));
    }

    private static void grow(Host host, int epoch, long bytes) {
        if (host.epochs.last().map(Epoch::number).orElse(0) != epoch) {
            host.epochs = host.epochs.add(new Epoch(epoch, epoch, host.end));
        }
        host.end += bytes;
    }

    private void append(String id, long bytes) {
        Host host = host(id);
        if (!host.raft().admits()) {
            output.add("  " + id + ": not admitted");
            return;
        }
        grow(host, host.raft().term(), bytes);
        act(id, raft -> raft.appended(host.logEnd()));
        doneUnless("flush", id, this::flush);
    }

    private void compare(String id, Effects.Following following) {
        Host host = host(id);
        host.following = following;
        Host leader = host(following.leader());
        LogExtent mine = new LogExtent(host.epochs, 0, host.end);
        LogExtent theirs = new LogExtent(leader.epochs, 0, leader.end);
        ForkSearch.Step step = ForkSearch.begin(mine);
        while (step instanceof ForkSearch.Ask ask) {
            step = ForkSearch.next(ForkSearch.answer(ask, theirs), mine);
        }
        long fork = step instanceof ForkSearch.Fork found ? found.offset() : 0;
        act(id, raft -> raft.forked(following.session(), host.endAt(fork)));
    }

    /** {@code stream n0>n1 [upTo]}: bytes of the log of one, in the session of the other, with what is confirmed. */
    private void stream(String[] words) {
        String[] pair = words[1].split(">");
        Host from = host(pair[0]);
        Host to = host(pair[1]);
        long session = to.following.session();
        if (!to.raft().accepts(session) || !to.following.leader().equals(pair[0])) {
            output.add("  " + pair[1] + ": not accepted");
            return;
        }
        long until = words.length > 2 ? Long.parseLong(words[2]) : from.end;
        for (Epoch epoch : from.epochs.cutTo(until).epochs()) {
            if (epoch.number() > to.epochs.last().map(Epoch::number).orElse(0)) {
                to.epochs = to.epochs.add(epoch);
            }
        }
        long before = to.end;
        to.end = Math.max(to.end, until);
        from.facts.forEach((end, fact) -> {
            if (end > before && end <= to.end) {
                to.facts.put(end, fact);
                act(pair[1], raft -> raft.membersFound(new MembersFact(fact, end)));
            }
        });
        act(pair[1], raft -> raft.received(session, from.raft().confirmOffset(), to.logEnd()));
        doneUnless("flush", pair[1], this::flush);
    }
}

package dev.perigee.raft;

import dev.perigee.loop.OwnedBy;
import dev.perigee.raft.RaftMessage.Hello;
import dev.perigee.raft.Recovered.Condition;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a leader knows of the other members: when they were heard, and what they hold (Raft figure 2: matchIndex). */
@OwnedBy("log loop")
final class Peers {
    /** What is known of one. */
    private static final class Progress {
        private long session;
        /** Everything below is held there; of this session only (R5). */
        private long matchOffset;
        /** Where the leader's log ended when the session began. */
        private long helloEnd;

        private Condition condition = Condition.SOUND;
        private long heardAwakeMs;
        /** When it was said, by the clock, what was answered last (R32). */
        private long answeredMs;
        /** It has answered in this term, so it leads in no earlier one. */
        private boolean known;
        /** When it did not take leadership over that was offered to it, in time awake. */
        private long declinedAwakeMs = Long.MIN_VALUE;
        /** When the connection to it broke, by the clock: what was said before says nothing any more (R32). */
        private long lostMs = Long.MIN_VALUE;

        /** The round of catching up that is under way (thesis §4.2.1): it ends when all is held that there was when it began. */
        private long roundEnd;

        private long roundBeganMs;
        private long lastRoundMs;

        private long counted() {
            return condition == Condition.SOUND ? matchOffset : 0;
        }

        private boolean mayLead(long sinceAwakeMs) {
            return session != 0 && condition == Condition.SOUND && heardAwakeMs >= sinceAwakeMs;
        }

        private boolean keepsUp(long sinceAwakeMs, long withinMs) {
            return counted() > 0 && lastRoundMs <= withinMs && roundBeganMs >= sinceAwakeMs;
        }

        private boolean isBetterThan(Progress other) {
            return declinedAwakeMs != other.declinedAwakeMs
                    ? declinedAwakeMs < other.declinedAwakeMs
                    : matchOffset > other.matchOffset;
        }
    }

    private final String self;
    private final AwakeTime time;
    private final Map<String, Progress> others = new LinkedHashMap<>();

    Peers(String self, AwakeTime time) {
        this.self = self;
        this.time = time;
    }

    /**
     * These are the members now; who is new is given time to be heard.
     *
     * @param saidMs what who is new has answered, by the clock
     */
    void follow(Members members, long saidMs) {
        others.keySet().removeIf(id -> members.find(id).isEmpty());
        for (Member member : members.all()) {
            if (!member.id().equals(self) && !others.containsKey(member.id())) {
                others.put(member.id(), new Progress());
                hear(member.id());
                answered(member.id(), saidMs);
            }
        }
    }

    /** Whether nobody is left out of these who was a member until now. */
    boolean areAllOf(Members members) {
        return others.keySet().stream().allMatch(id -> members.find(id).isPresent());
    }

    /** The ids of all others. */
    List<String> ids() {
        return List.copyOf(others.keySet());
    }

    void hear(String id) {
        Progress progress = others.get(id);
        if (progress != null) {
            progress.heardAwakeMs = time.awakeMs();
        }
    }

    /** It has answered what was said then, by the clock. */
    void answered(String id, long saidMs) {
        Progress progress = others.get(id);
        if (progress != null && saidMs > progress.lostMs) {
            progress.answeredMs = Math.max(progress.answeredMs, saidMs);
        }
    }

    /** It has answered in this leader's term. */
    void knows(String id) {
        Progress progress = others.get(id);
        if (progress != null) {
            progress.known = true;
        }
    }

    /** Whether all other voters know of this leader's term. */
    boolean areAllKnown(Members members) {
        return members.voters().stream().map(Member::id).allMatch(id -> {
            Progress progress = others.get(id);
            return id.equals(self) || (progress != null && progress.known);
        });
    }

    /** The connection to it broke: it may vote for another one by now. */
    void lost(String id) {
        Progress progress = others.get(id);
        if (progress != null) {
            progress.lostMs = time.nowMs();
            progress.answeredMs = Long.MIN_VALUE;
        }
    }

    /** A new session holds nothing until it says so (R5). */
    void greeted(Hello hello, long endOffset) {
        hear(hello.from());
        Progress progress = others.get(hello.from());
        if (progress != null) {
            progress.session = hello.session();
            progress.matchOffset = 0;
            progress.helloEnd = endOffset;
            progress.condition = hello.condition();
            progress.roundEnd = endOffset;
            progress.roundBeganMs = time.awakeMs();
            progress.lastRoundMs = Long.MAX_VALUE;
            progress.declinedAwakeMs = Long.MIN_VALUE; // it may be another process
        }
    }

    /** It did not take leadership over. */
    void declined(String id) {
        Progress progress = others.get(id);
        if (progress != null) {
            progress.declinedAwakeMs = time.awakeMs();
        }
    }

    /** The session in which a member is fed; 0 for none. */
    long sessionOf(String id) {
        Progress progress = others.get(id);
        return progress == null ? 0 : progress.session;
    }

    /**
     * So much is held there.
     *
     * @param logEnd where the leader's log ends now
     */
    void held(String id, long endOffset, long logEnd) {
        Progress progress = others.get(id);
        if (progress == null) {
            return;
        }
        progress.matchOffset = Math.max(progress.matchOffset, endOffset);
        if (progress.matchOffset >= progress.roundEnd) {
            progress.lastRoundMs = time.awakeMs() - progress.roundBeganMs;
            progress.roundBeganMs = time.awakeMs();
            progress.roundEnd = logEnd;
        }
    }

    /**
     * Whether a member keeps up: its last round of catching up took no longer than this, nor has the one under way (thesis §4.2.1). What
     * is appended all the time it never has to the last byte.
     */
    boolean keepsUp(String id, long withinMs) {
        Progress progress = others.get(id);
        return progress != null && progress.keepsUp(time.awakeMs() - withinMs, withinMs);
    }

    /** What a member holds, if it is sure of it (R5). */
    long countedOf(String id) {
        Progress progress = others.get(id);
        return progress == null ? 0 : progress.counted();
    }

    /**
     * What a majority of the voters holds.
     *
     * @param ownHeld what the leader holds; not counted when it is no voter any more (thesis §4.2.2)
     */
    long reached(Members members, long ownHeld) {
        List<Member> voters = members.voters();
        long[] offsets = new long[voters.size()];
        for (int i = 0; i < offsets.length; i++) {
            String id = voters.get(i).id();
            offsets[i] = id.equals(self) ? ownHeld : countedOf(id);
        }
        return Quorum.reached(offsets);
    }

    /**
     * Whether a majority of the voters, the leader one of them, was heard since then, in time awake (thesis §6.2).
     *
     * @param alsoRestoring whether those count that are not sure of what they held
     */
    boolean hearsMajority(Members members, long sinceAwakeMs, boolean alsoRestoring) {
        int count = 0;
        for (Member voter : members.voters()) {
            Progress progress = others.get(voter.id());
            boolean heard = progress != null
                    && progress.heardAwakeMs >= sinceAwakeMs
                    && (alsoRestoring || progress.condition == Condition.SOUND);
            count += heard || voter.id().equals(self) ? 1 : 0;
        }
        return count >= Quorum.of(members.voters().size());
    }

    /**
     * When the latest was said, by the clock, that a majority of the voters has answered, the leader one of them (R32);
     * {@link Long#MAX_VALUE} for a leader that is a majority by itself.
     */
    long majorityHeardMs(Members members) {
        List<Member> voters = members.voters();
        long[] heardMs = new long[voters.size()];
        for (int i = 0; i < heardMs.length; i++) {
            Progress progress = others.get(voters.get(i).id());
            boolean isSelf = voters.get(i).id().equals(self);
            heardMs[i] = isSelf ? Long.MAX_VALUE : progress == null ? Long.MIN_VALUE : progress.answeredMs;
        }
        return Quorum.reached(heardMs);
    }

    /**
     * Who is to lead next, of the voters that are heard and sure of what they hold: who {@link #keepsUp} comes first, for it can take over in
     * time. Then, of those that have not declined in their session the one that holds most; when all have, the one that declined the longest
     * ago. Empty for nobody.
     */
    Optional<String> best(Members members, long sinceAwakeMs) {
        long withinMs = time.awakeMs() - sinceAwakeMs;
        String best = null;
        Progress most = null;
        for (Member voter : members.voters()) {
            Progress progress = others.get(voter.id());
            if (progress == null || !progress.mayLead(sinceAwakeMs)) {
                continue;
            }
            boolean keepsUp = progress.keepsUp(sinceAwakeMs, withinMs);
            boolean doesMost = most != null && most.keepsUp(sinceAwakeMs, withinMs);
            if (most == null || (keepsUp == doesMost ? progress.isBetterThan(most) : keepsUp)) {
                best = voter.id();
                most = progress;
            }
        }
        return Optional.ofNullable(best);
    }

    /** Whether a restoring member said hello when the log ended here, so that it waits for something behind (R5). */
    boolean isEntryWanted(long endOffset) {
        return others.values().stream()
                .anyMatch(progress -> progress.session != 0
                        && progress.condition == Condition.RESTORING
                        && progress.helloEnd == endOffset);
    }
}

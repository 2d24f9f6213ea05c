package dev.perigee.it.churn;

import dev.perigee.it.member.Member;
import dev.perigee.it.member.MemberSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A group that begins with two members; then in turn one joins, one is killed, one joins, one leaves. For one thread. */
final class ChangingGroup implements AutoCloseable {
    /** What happened so far. */
    record Counts(int joins, int leaves, int kills) {
        Counts plus(Counts other) {
            return new Counts(joins + other.joins, leaves + other.leaves, kills + other.kills);
        }
    }

    private enum Act {
        JOIN,
        KILL,
        REPLACE,
        LEAVE
    }

    private final Path folder;
    private final String name;
    private final MemberSettings settings;
    private final Random random;
    private final List<Member> everyone = new ArrayList<>();
    private int changes;
    private Counts counts = new Counts(0, 0, 0);

    ChangingGroup(Path folder, String name, MemberSettings settings, Random random) {
        this.folder = folder;
        this.name = name;
        this.settings = settings;
        this.random = random;
    }

    void begin() throws IOException {
        Member first = join();
        join().awaitStarted();
        first.awaitStarted();
    }

    void change() throws IOException {
        switch (Act.values()[changes++ % Act.values().length]) {
            case JOIN, REPLACE -> {
                join();
                counts = counts.plus(new Counts(1, 0, 0));
            }
            case KILL -> {
                anyone().kill();
                counts = counts.plus(new Counts(0, 0, 1));
            }
            case LEAVE -> {
                anyone().awaitStarted().leave();
                counts = counts.plus(new Counts(0, 1, 0));
            }
        }
    }

    private Member join() throws IOException {
        Member member = Member.start(folder, name + "-" + everyone.size(), settings);
        everyone.add(member);
        return member;
    }

    private Member anyone() {
        List<Member> running = everyone.stream().filter(Member::isRunning).toList();
        return running.get(random.nextInt(running.size()));
    }

    void leaveAll() {
        everyone.stream()
                .filter(Member::isRunning)
                .forEach(member -> member.awaitStarted().leave());
    }

    /** Everybody who ever was a member. */
    List<Member> everyone() {
        return everyone;
    }

    /** The changes after the beginning. */
    Counts counts() {
        return counts;
    }

    @Override
    public void close() {
        everyone.forEach(Member::close);
    }

    @Override
    public String toString() {
        return name;
    }
}

package dev.perigee.it.member;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a member is and does.
 *
 * @param kind how it consumes
 * @param nameServers where its cluster is
 * @param group its group
 * @param topics what it subscribes to, all messages
 * @param home its folder, empty until {@link Member#start}
 * @param batchSize most messages of one listener call or poll
 * @param callMs how long a listener call takes at least; for pulling kinds the time between two polls
 * @param failEvery messages whose number is a multiple of this fail the first time; 0 for none
 * @param autoCommitMs time between two automatic commits of a pulling kind; 0 for a commit after every poll
 * @param blockedQueue calls of this queue fail while the file named {@link #BLOCK_FILE} is beside its home; −1 for none
 */
public record MemberSettings(
        Kind kind,
        String nameServers,
        String group,
        List<String> topics,
        Path home,
        int batchSize,
        long callMs,
        long failEvery,
        long autoCommitMs,
        int blockedQueue) {
    /** As long as it is there, the blocked queue is blocked. */
    public static final String BLOCK_FILE = "blocked";

    /** How a member consumes. */
    public enum Kind {
        CONCURRENT,
        ORDERLY,
        BROADCAST,
        PULL
    }

    /** A member that takes one message at a time, as fast as it can, and never fails. */
    public static MemberSettings of(Kind kind, String nameServers, String group, String... topics) {
        return new MemberSettings(kind, nameServers, group, List.of(topics), Path.of(""), 1, 0, 0, 0, -1);
    }

    /** With that many messages in a listener call or poll. */
    public MemberSettings batchSize(int messages) {
        return new MemberSettings(
                kind, nameServers, group, topics, home, messages, callMs, failEvery, autoCommitMs, blockedQueue);
    }

    /** With calls that take so long. */
    public MemberSettings callMs(long ms) {
        return new MemberSettings(
                kind, nameServers, group, topics, home, batchSize, ms, failEvery, autoCommitMs, blockedQueue);
    }

    /** With some messages failing once. */
    public MemberSettings failEvery(long divisor) {
        return new MemberSettings(
                kind, nameServers, group, topics, home, batchSize, callMs, divisor, autoCommitMs, blockedQueue);
    }

    /** With automatic commits. */
    public MemberSettings autoCommitMs(long periodMs) {
        return new MemberSettings(
                kind, nameServers, group, topics, home, batchSize, callMs, failEvery, periodMs, blockedQueue);
    }

    /** With a queue that fails as long as the file is there. */
    public MemberSettings blockedQueue(int queueId) {
        return new MemberSettings(
                kind, nameServers, group, topics, home, batchSize, callMs, failEvery, autoCommitMs, queueId);
    }

    MemberSettings home(Path folder) {
        return new MemberSettings(
                kind, nameServers, group, topics, folder, batchSize, callMs, failEvery, autoCommitMs, blockedQueue);
    }

    NoteFile notes() {
        return new NoteFile(home.resolve("notes.bin"), topics);
    }

    /** Whether this queue is blocked now. */
    boolean isBlocked(int queueId) {
        return queueId == blockedQueue
                && home.resolveSibling(BLOCK_FILE).toFile().exists();
    }

    List<String> toArguments() {
        List<String> arguments = new ArrayList<>(List.of(
                kind.name(),
                nameServers,
                group,
                home.toString(),
                Integer.toString(batchSize),
                Long.toString(callMs),
                Long.toString(failEvery),
                Long.toString(autoCommitMs),
                Integer.toString(blockedQueue)));
        arguments.addAll(topics);
        return arguments;
    }

    static MemberSettings parse(String[] arguments) {
        int next = 0;
        Kind kind = Kind.valueOf(arguments[next++]);
        String nameServers = arguments[next++];
        String group = arguments[next++];
        Path home = Path.of(arguments[next++]);
        int batchSize = Integer.parseInt(arguments[next++]);
        long callMs = Long.parseLong(arguments[next++]);
        long failEvery = Long.parseLong(arguments[next++]);
        long autoCommitMs = Long.parseLong(arguments[next++]);
        int blockedQueue = Integer.parseInt(arguments[next++]);
        List<String> topics = Arrays.stream(arguments, next, arguments.length).toList();
        return new MemberSettings(
                kind, nameServers, group, topics, home, batchSize, callMs, failEvery, autoCommitMs, blockedQueue);
    }
}

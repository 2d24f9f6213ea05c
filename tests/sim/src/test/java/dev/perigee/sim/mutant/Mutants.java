package dev.perigee.sim.mutant;

import dev.perigee.sim.mutant.Mutant.Edit;
import dev.perigee.sim.mutant.Mutant.Killer;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** All mutants. A rule of the log or of replication that gets a place in the code gets one here that takes it away. */
final class Mutants {
    private static final String STORE = "store/src/main/java/dev/perigee/store/";
    private static final String BROKER = "broker/src/main/java/dev/perigee/broker/";
    private static final int FIRST = 8;
    private static final int LAST = 26;
    private static final String PROTOCOL = "protocol/src/main/java/dev/perigee/protocol/";

    /** The power goes while a force takes long: what was written is lost by chance. */
    private static final String STALLED = again("%d000:STALL:broker-a:-:1500:0,%<d900:POWER_LOSS:broker-a:-:300:0");

    /** A process is killed while a force takes long, and its machine loses power soon after the next has started. */
    private static final String STALLED_AND_KILLED = again("%d000:STALL:broker-a:-:1900:0,%<d500:KILL:broker-a:-:100:0,"
            + "%<d700:POWER_LOSS_IN_CALL:broker-a:-:300:9");

    private static final String POWER = again("%d000:POWER_LOSS:broker-a:-:300:7");
    private static final String FORCES_FAIL =
            again("%d000:FAIL_FORCE:broker-a:-:0:0,%<d900:POWER_LOSS:broker-a:-:300:0");

    private static final List<Mutant> OF_BROKERS = List.of(
            Mutant.of(
                    "the log is not forced",
                    STORE + "tail/Flusher.java",
                    "storage.force(reached.endOffset(), target.endOffset());",
                    "",
                    new Killer(0, POWER)),
            Mutant.of(
                    "what is appended is confirmed before it is forced",
                    STORE + "append/SoloReplication.java",
                    "if (flushMode == FlushMode.ASYNC) {",
                    "if (endOffset >= 0) {",
                    new Killer(0, STALLED)),
            new Mutant(
                    "the name of a log file is not forced, neither with its bytes nor before",
                    STORE + "log/LogDurability.java",
                    List.of(
                            new Edit(
                                    "        if (syncNames) {\n            disk.syncFolder(LogStorage.FOLDER);",
                                    "        if (syncNames) {"),
                            new Edit(
                                    "        if (!segment.nameDurable()) {\n            disk.syncFolder(LogStorage.FOLDER);",
                                    "        if (!segment.nameDurable()) {")),
                    new Killer(1, "8000:POWER_LOSS:broker-a:-:500:0")),
            Mutant.of(
                    "a force that failed is tried again",
                    STORE + "tail/Flusher.java",
                    "            failure = e;\n",
                    "",
                    new Killer(0, FORCES_FAIL)),
            Mutant.of(
                    "what recovery finds behind the mark is not written again",
                    STORE + "recovery/Recovery.java",
                    "long rewritten = quietEnd ? 0 : rewrite();",
                    "long rewritten = 0;",
                    new Killer(0, STALLED_AND_KILLED)),
            Mutant.of(
                    "a part of a unit is kept",
                    STORE + "recovery/Recovery.java",
                    "wholeEnd = inUnit ? wholeEnd : position;",
                    "wholeEnd = position;",
                    new Killer(4, again("%d000:POWER_LOSS_IN_CALL:broker-a:-:200:1"))),
            Mutant.of(
                    "damage below the mark is cut off",
                    STORE + "recovery/Recovery.java",
                    "if (wholeEnd < durable) {",
                    "if (wholeEnd < 0) {",
                    new Killer(0, "12000:ROT:broker-a:-:2000:100")),
            new Mutant(
                    "readers see what is not confirmed",
                    STORE + "log/CommitLog.java",
                    List.of(
                            new Edit("        return horizon.confirm();", "        return horizon.end();"),
                            new Edit(
                                    "Math.min(horizon.confirm(), nextSegmentStart",
                                    "Math.min(horizon.end(), nextSegmentStart"),
                            new Edit("offset + sizeBytes > horizon.confirm()", "offset + sizeBytes > horizon.end()")),
                    new Killer(0, STALLED)),
            Mutant.of(
                    "the stamp's checksum is not tested",
                    PROTOCOL + "message/FrameCheck.java",
                    "return FrameStamp.isSound(buffer, position, size) ? SOUND : BAD_STAMP;",
                    "return SOUND;",
                    new Killer(0, "12000:ROT:broker-a:-:2000:20")),
            Mutant.of(
                    "the body's checksum is not tested",
                    PROTOCOL + "message/FrameCheck.java",
                    "if (checksums && buffer.getInt(position + MessageFrame.BODY_CRC_AT) != bodyCrc(buffer, position)) {",
                    "if (size < 0) {",
                    new Killer(0, "12000:ROT:broker-a:-:2000:90")),
            Mutant.of(
                    "a start does not take the ends of queues over",
                    STORE + "append/LogEngine.java",
                    "        tail.seed(levels);\n",
                    "",
                    new Killer(0, "")),
            new Mutant(
                    "halves are decided without a claim",
                    BROKER + "transaction/HalfWindow.java",
                    List.of(
                            new Edit("return claims.containsKey(birth);", "return false;"),
                            new Edit(
                                    "if (claims.putIfAbsent(birth, new ArrayDeque<>()) != null) {",
                                    "if (claims.putIfAbsent(birth, new ArrayDeque<>()) != null && birth < 0) {")),
                    new Killer(0, "8000:DOUBLE:transactions:broker-a:20000:100")),
            Mutant.of(
                    "messages that are delivered are not claimed",
                    BROKER + "timer/TimerWindow.java",
                    "        waiting.pollFirstEntry();\n",
                    "",
                    new Killer(0, "")),
            Mutant.of(
                    "messages are delivered a second before they are due",
                    BROKER + "timer/TimerWindow.java",
                    "first.getKey().dueMs() > timerMs",
                    "first.getKey().dueMs() > timerMs + 1_000",
                    new Killer(0, "")),
            Mutant.of(
                    "waiting messages follow the wall clock",
                    BROKER + "timer/TimerClock.java",
                    "if (Math.abs(stepMs) <= TOLERANCE_MS + passedMs / DRIFT) {",
                    "if (passedMs >= 0) {",
                    new Killer(7, "")),
            Mutant.of(
                    "sends are acknowledged though the write failed",
                    STORE + "append/LogLoop.java",
                    "complete(batch.get(i), AppendResult.OUTCOME_UNKNOWN);",
                    "complete(batch.get(i), AppendResult.APPENDED);",
                    new Killer(
                            0,
                            "9000:FAIL_WRITE:broker-a:-:0:0,15000:FAIL_WRITE:broker-a:-:0:0,20000:FAIL_WRITE:broker-a:-:0:0")));

    private Mutants() {}

    /** Those of a broker without replicas, and those of a master with slaves. */
    static List<Mutant> all() {
        return Stream.concat(OF_BROKERS.stream(), ReplicaMutants.ALL.stream()).toList();
    }

    /** The same every two seconds. */
    private static String again(String events) {
        return again(events, FIRST, LAST, 2);
    }

    /** The same every few seconds. */
    static String again(String events, int first, int last, int everySeconds) {
        return IntStream.rangeClosed(first, last)
                .filter(second -> (second - first) % everySeconds == 0)
                .mapToObj(second -> String.format(Locale.ROOT, events, second))
                .collect(Collectors.joining(","));
    }
}

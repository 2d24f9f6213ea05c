package dev.perigee.sim.mutant;

import dev.perigee.sim.mutant.Mutant.Edit;
import dev.perigee.sim.mutant.Mutant.Killer;
import java.util.List;

/** All mutants. A rule of the log or of replication that gets a place in the code gets one here that takes it away. */
final class Mutants {
    private static final String STORE = "store/src/main/java/dev/perigee/store/";
    private static final String BROKER = "broker/src/main/java/dev/perigee/broker/";
    private static final String PROTOCOL = "protocol/src/main/java/dev/perigee/protocol/";

    static final List<Mutant> ALL = List.of(
            Mutant.of(
                    "the log is not forced",
                    STORE + "tail/Flusher.java",
                    "storage.force(synced, target);",
                    "",
                    new Killer(0, "")),
            Mutant.of(
                    "what is appended is confirmed before it is forced",
                    STORE + "append/SoloReplication.java",
                    "if (flushMode == FlushMode.ASYNC) {",
                    "if (endOffset >= 0) {",
                    new Killer(0, "")),
            Mutant.of(
                    "the name of a log file is not forced",
                    STORE + "log/LogDurability.java",
                    "        if (syncNames) {\n            disk.syncFolder(LogStorage.FOLDER);",
                    "        if (syncNames) {",
                    new Killer(0, "")),
            Mutant.of(
                    "a force that failed is tried again",
                    STORE + "tail/Flusher.java",
                    "            failure = e;\n",
                    "",
                    new Killer(0, "")),
            Mutant.of(
                    "what recovery finds behind the mark is not written again",
                    STORE + "recovery/Recovery.java",
                    "long rewritten = quietEnd ? 0 : rewrite();",
                    "long rewritten = 0;",
                    new Killer(0, "")),
            Mutant.of(
                    "damage below the mark is cut off",
                    STORE + "recovery/Recovery.java",
                    "if (wholeEnd < durable) {",
                    "if (wholeEnd < 0) {",
                    new Killer(0, "")),
            Mutant.of(
                    "a part of a unit is kept",
                    STORE + "recovery/Recovery.java",
                    "wholeEnd = inUnit ? wholeEnd : position;",
                    "wholeEnd = position;",
                    new Killer(0, "")),
            new Mutant(
                    "epochs are not compared, nor is a cut forced",
                    STORE + "recovery/Recovery.java",
                    List.of(
                            new Edit(
                                    "verdict == Verdict.FRAME && scan.found().epoch() >= epoch",
                                    "verdict == Verdict.FRAME"),
                            new Edit("return storage.cutTo(wholeEnd, writtenEnd);", "return writtenEnd - wholeEnd;")),
                    new Killer(0, "")),
            Mutant.of(
                    "the stamp's checksum is not tested",
                    PROTOCOL + "message/FrameCheck.java",
                    "return FrameStamp.isSound(buffer, position, size) ? SOUND : BAD_STAMP;",
                    "return SOUND;",
                    new Killer(0, "")),
            Mutant.of(
                    "the body's checksum is not tested",
                    PROTOCOL + "message/FrameCheck.java",
                    "if (checkBody && buffer.getInt(position + MessageFrame.BODY_CRC_AT) != bodyCrc(buffer, position)) {",
                    "if (size < 0) {",
                    new Killer(0, "")),
            Mutant.of(
                    "a start does not take the ends of queues over",
                    STORE + "append/LogEngine.java",
                    "            tail.seed(levels);\n",
                    "",
                    new Killer(0, "")),
            Mutant.of(
                    "views do not skip what they have applied",
                    STORE + "view/ViewSlot.java",
                    "if (entry.offset() >= appliedOffset) {",
                    "if (entry.offset() >= 0) {",
                    new Killer(0, "")),
            Mutant.of(
                    "the files of views are not forced before their checkpoint",
                    STORE + "view/CheckpointRound.java",
                    "case FORCE -> part.image().forceSome(disk);",
                    "case FORCE -> false;",
                    new Killer(0, "")),
            new Mutant(
                    "halves are decided without a claim",
                    BROKER + "transaction/HalfWindow.java",
                    List.of(
                            new Edit("return claims.containsKey(birth);", "return false;"),
                            new Edit(
                                    "if (claims.putIfAbsent(birth, new ArrayDeque<>()) != null) {",
                                    "if (claims.putIfAbsent(birth, new ArrayDeque<>()) != null && birth < 0) {")),
                    new Killer(0, "")),
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
                    new Killer(0, "")),
            Mutant.of(
                    "sends are acknowledged though the write failed",
                    STORE + "append/LogLoop.java",
                    "complete(batch.get(i), AppendResult.OUTCOME_UNKNOWN);",
                    "complete(batch.get(i), AppendResult.APPENDED);",
                    new Killer(0, "")),
            Mutant.of(
                    "offsets are committed beyond the end of a queue, and not below",
                    BROKER + "offset/OffsetCommits.java",
                    "if (offset < 0 || offset > end) {",
                    "if (offset < end) {",
                    new Killer(0, "")));

    private Mutants() {}
}

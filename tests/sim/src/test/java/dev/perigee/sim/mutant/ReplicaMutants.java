package dev.perigee.sim.mutant;

import dev.perigee.sim.mutant.Mutant.Edit;
import dev.perigee.sim.mutant.Mutant.Killer;
import java.util.List;

/** Mutants of what a master and its slaves do. */
final class ReplicaMutants {
    private static final String STORE = "store/src/main/java/dev/perigee/store/";
    private static final String REPLICA = "replica/src/main/java/dev/perigee/replica/";

    /** A slave that lives on what a stamp or a body says although its checksum is another. */
    private static final Edit STEP_BY_SIZE = new Edit(
            "position += frame.sizeBytes();\n        offset += frame.sizeBytes();",
            "offset += buffer.getInt(position);\n        position += buffer.getInt(position);");

    private static final String GARBLED = "8000:GARBLE:broker-a:broker-a.1:20000:30";

    /**
     * The master has written and sent what its disk does not get: it loses power, does not reach its slave when it starts, and its slave
     * has to cut.
     */
    private static final String MASTER_FORGETS = Mutants.again(
            "%d000:STALL:broker-a:-:1500:0,%<d700:POWER_LOSS:broker-a:-:200:0,%<d700:PART:broker-a:broker-a.1:4500:0",
            8, 26, 6);

    private static final String SLAVE_STALLS = Mutants.again("%d000:STALL:broker-a.1:-:1000:0", 8, 26, 2);

    /** The slave forgets what it said it held while the master's force takes long, and has nothing of it again when that is through. */
    private static final String SLAVE_FORGETS = Mutants.again(
            "%d000:STALL:broker-a:-:1700:0,%<d400:DELAY:broker-a:broker-a.1:2500:2000,%<d500:POWER_LOSS:broker-a.1:-:150:0",
            8, 26, 4);

    static final List<Mutant> ALL = List.of(
            new Mutant(
                    "a replica does not test the body's checksum",
                    STORE + "receive/UnitVerifier.java",
                    List.of(
                            new Edit(
                                    "if (verdict != Verdict.FRAME) {",
                                    "if (verdict != Verdict.FRAME && verdict != Verdict.BAD_BODY) {"),
                            STEP_BY_SIZE),
                    Killer.ofPair(1, GARBLED)),
            new Mutant(
                    "a replica does not test the stamp's checksum",
                    STORE + "receive/UnitVerifier.java",
                    List.of(
                            new Edit(
                                    "if (verdict != Verdict.FRAME) {",
                                    "if (verdict != Verdict.FRAME && verdict != Verdict.BAD_STAMP) {"),
                            STEP_BY_SIZE),
                    Killer.ofPair(0, GARBLED)),
            Mutant.of(
                    "the fork is where the follower ends",
                    STORE + "epoch/ForkSearch.java",
                    "long fork = Math.min(theirs.get().endOffset(), mine.epochs().endOf(own.get(), mine.endOffset()));",
                    "long fork = mine.epochs().endOf(own.get(), mine.endOffset());",
                    Killer.ofPair(1, MASTER_FORGETS)),
            Mutant.of(
                    "what was flushed before a cut counts behind it",
                    STORE + "tail/Flusher.java",
                    "        flushed = new Flushed(next, reached.endOffset());\n        cut = null;",
                    "        cut = null;",
                    Killer.ofPair(1, MASTER_FORGETS)),
            Mutant.of(
                    "a replica holds what it has written",
                    REPLICA + "follow/SlaveReplication.java",
                    "long now = flushMode == FlushMode.ASYNC ? end : Math.min(end, flushed);",
                    "long now = end;",
                    Killer.ofPair(0, SLAVE_STALLS)),
            new Mutant(
                    "more is confirmed than replicas hold",
                    REPLICA + "sync/MasterReplication.java",
                    List.of(
                            new Edit("Math.min(own, choice.heldByAny(set, Math.min(needed, set.size()))));", "own);"),
                            new Edit("Math.min(own, choice.heldByAny(set, needed)));", "own);")),
                    Killer.ofPair(0, SLAVE_STALLS)),
            Mutant.of(
                    "a session begins with what the one before held, also of a replica that may have forgotten it",
                    REPLICA + "sync/ReplicaSlots.java",
                    "new ReplicaSlot(asking, heardMs, onHeld);",
                    "new ReplicaSlot(\n"
                            + "new Candidate(member, asking.session(), asking.run(), false, asking.from()), heardMs, onHeld);\n"
                            + "of(member).filter(before -> before.heldOffset() >= 0)"
                            + ".ifPresent(before -> slot.held(before.heldOffset(), heardMs));",
                    Killer.ofPair(3, SLAVE_FORGETS)),
            Mutant.of(
                    "views apply twice what they have applied",
                    STORE + "view/ViewSlot.java",
                    "void apply(LogEntry entry) {\n        if (entry.offset() >= appliedOffset) {",
                    "void apply(LogEntry entry) {\n        if (entry.offset() >= 0) {",
                    Killer.ofPair(7, "")),
            Mutant.of(
                    "an epoch ends where the log does",
                    STORE + "epoch/EpochTable.java",
                    "return index + 1 < epochs.size() ? epochs.get(index + 1).startOffset() : logEnd;",
                    "return logEnd;",
                    Killer.ofPair(1, MASTER_FORGETS)));

    private ReplicaMutants() {}
}

package dev.perigee.store.append;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.epoch.MemberFact;
import dev.perigee.store.receive.SenderState;
import java.util.ArrayList;
import java.util.List;

/**
 * A replication whose role the test sets: as a writer it confirms what is durable up to a limit, as a replica what the sender
 * said is confirmed, of what it has.
 */
@OwnedBy("the test")
final class SwitchedReplication implements Replication {
    /** What the node may do. */
    enum Role {
        APPENDS,
        RECEIVES,
        NEITHER
    }

    private static final long ANY = -1;

    private Role role;
    private long confirmLimit = Long.MAX_VALUE;
    private long generation;
    private long endOffset;
    private long syncedOffset;
    private long confirmOffset;
    private final List<Long> cuts = new ArrayList<>();
    private final List<String> epochs = new ArrayList<>();
    private final List<MemberFact> members = new ArrayList<>();
    private long session = ANY;
    private int epochToBegin;
    private long gap = ANY;

    SwitchedReplication(Role role) {
        this.role = role;
    }

    void role(Role other) {
        role = other;
    }

    /** From now on only what comes in this session is taken. */
    void session(long number) {
        session = number;
    }

    /** The epoch to begin next. */
    void epochToBegin(int number) {
        epochToBegin = number;
    }

    /** How many offsets that leaves out, whatever recovery says. */
    void leaveOut(long offsets) {
        gap = offsets;
    }

    /** The epochs begun: the number, and where what says so ends. */
    List<String> epochs() {
        return epochs;
    }

    /** Whom the log was told to name as members. */
    List<MemberFact> members() {
        return members;
    }

    /** Nothing above is confirmed, whoever has it. */
    void confirmLimit(long offset) {
        confirmLimit = offset;
    }

    /** What the node may say it holds: forced in this generation, of what it has. */
    long held() {
        return Math.min(endOffset, syncedOffset);
    }

    long generation() {
        return generation;
    }

    /** Where the log was cut. */
    List<Long> cuts() {
        return cuts;
    }

    @Override
    public boolean mayAppend() {
        return role == Role.APPENDS;
    }

    @Override
    public boolean follows() {
        return role == Role.RECEIVES;
    }

    @Override
    public boolean mayReceive() {
        return role == Role.RECEIVES;
    }

    @Override
    public boolean mayReceive(long ofSession) {
        return session == ANY || session == ofSession;
    }

    @Override
    public int epochToBegin() {
        return epochToBegin;
    }

    @Override
    public long queueOffsetGap(long recovered) {
        return gap == ANY ? recovered : gap;
    }

    @Override
    public void epochBegun(Epoch epoch, long begunTo) {
        epochs.add(epoch.number() + ":" + begunTo);
    }

    @Override
    public void membersFound(MemberFact fact) {
        if (fact.factEnd() <= endOffset) {
            throw new IllegalStateException(fact + " was told after the end " + endOffset);
        }
        members.add(fact);
    }

    @Override
    public void recovered(long recoveredGeneration, long recoveredEnd) {
        generation = recoveredGeneration;
        endOffset = recoveredEnd;
        syncedOffset = recoveredEnd;
        confirmOffset = Math.min(recoveredEnd, confirmLimit);
    }

    @Override
    public void appended(long appendedEnd) {
        endOffset = appendedEnd;
    }

    @Override
    public void received(SenderState sender, long receivedEnd) {
        endOffset = receivedEnd;
        confirmTo(Math.min(sender.confirmOffset(), receivedEnd));
    }

    @Override
    public void truncated(long newGeneration, long newEnd) {
        generation = newGeneration;
        endOffset = newEnd;
        syncedOffset = 0;
        cuts.add(newEnd);
    }

    @Override
    public void flushed(long flushGeneration, long flushedEnd) {
        if (flushGeneration == generation) {
            syncedOffset = flushedEnd;
            if (role == Role.APPENDS) {
                confirmTo(flushedEnd);
            }
        }
    }

    private void confirmTo(long offset) {
        confirmOffset = Math.max(confirmOffset, Math.min(offset, confirmLimit));
    }

    @Override
    public void tick(long nowMs) {
        // The test sets the role.
    }

    @Override
    public long nextTickMs() {
        return Long.MAX_VALUE;
    }

    @Override
    public long confirmOffset() {
        return confirmOffset;
    }
}

package dev.perigee.sim.ledger;

import dev.perigee.protocol.message.MessageQueue;
import java.util.List;

/** One call of a member's listener, from its begin to its end. */
public final class Call {
    /** How a call stands. */
    public enum State {
        RUNNING,
        /** The listener finished all of its messages, or the first few. */
        SUCCEEDED,
        /** The listener finished none. */
        FAILED,
        /** The member's process ended meanwhile. */
        VANISHED
    }

    private final String member;
    private final Group group;
    private final MessageQueue queue;
    private final List<Seen> messages;
    private final long begunMs;
    private State state = State.RUNNING;
    private long endedMs;
    private int finished;
    private int delayLevel;

    Call(String member, Group group, MessageQueue queue, List<Seen> messages, long begunMs) {
        this.member = member;
        this.group = group;
        this.queue = queue;
        this.messages = List.copyOf(messages);
        this.begunMs = begunMs;
    }

    /** The name of the member. */
    public String member() {
        return member;
    }

    /** The group of the member. */
    public Group group() {
        return group;
    }

    /** Where its messages were read; a retry topic's for retries. */
    public MessageQueue queue() {
        return queue;
    }

    /** What the listener was given. */
    public List<Seen> messages() {
        return messages;
    }

    /** When the listener was called. */
    public long begunMs() {
        return begunMs;
    }

    /** How the call stands. */
    public State state() {
        return state;
    }

    /** When it ended. */
    public long endedMs() {
        return endedMs;
    }

    /** The messages the listener finished, once the call has ended. */
    public List<Seen> finished() {
        return messages.subList(0, finished);
    }

    /** The messages the listener did not finish, once the call has ended. */
    public List<Seen> failed() {
        return messages.subList(finished, messages.size());
    }

    /** What the listener asked for those: a level, or 0 for longer and longer ones. */
    public int delayLevel() {
        return delayLevel;
    }

    /** The listener's wish for what it is not going to finish. */
    public void askDelay(int level) {
        delayLevel = level;
    }

    /** Whether it takes, or took, so long that its messages went back. */
    public boolean isOverdue(long nowMs) {
        return group.kind() == Group.Kind.CONCURRENT
                && (state == State.RUNNING ? nowMs : endedMs) - begunMs >= group.consumeTimeoutMs();
    }

    void end(State how, int messagesFinished, long nowMs) {
        state = how;
        finished = messagesFinished;
        endedMs = nowMs;
    }

    @Override
    public String toString() {
        return member + " " + queue.topic() + "/" + queue.queueId() + " " + messages;
    }
}

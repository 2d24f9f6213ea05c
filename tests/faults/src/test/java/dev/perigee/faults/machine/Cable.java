package dev.perigee.faults.machine;

import java.io.IOException;
import java.util.Collection;
import java.util.List;

/** What joins one node to the others. Every fault of it stays until it is taken back; to take back what is not there does nothing. */
public interface Cable {
    /** The address others know the node by. */
    String address();

    /** The address the node has to listen on. */
    String listenAddress();

    /** What a command is to begin with so that its process is at the node's end, see {@code JavaCommand.runBy}. */
    List<String> runner();

    /** Cuts it. What is sent is gone, and nobody is told. */
    void unplug() throws IOException;

    /** Takes back {@link #unplug}. */
    void plug() throws IOException;

    /**
     * Loses that share of what goes one way. A proxy holds everything back instead: the senders of what it lost would send it again, so that
     * a part cannot be lost.
     */
    void lose(Direction direction, int percent) throws IOException;

    /** Takes back {@link #lose}. */
    void loseNothing() throws IOException;

    /** Whether it can tell one node's bytes from another's, as {@link #hearNothingFrom} needs. */
    boolean knowsWhoSpeaks();

    /** Loses what those nodes send to this one, and no longer what others send; nothing is lost for an empty list. */
    void hearNothingFrom(Collection<Cable> others) throws IOException;

    /**
     * Refuses what those nodes send to this one, so that they see their connections end at once, and no longer what others send; needs {@link
     * #knowsWhoSpeaks}.
     */
    void resetConnectionsOf(Collection<Cable> others) throws IOException;

    /** Lets no more than that through, either way. */
    void limit(long bytesPerSecond) throws IOException;

    /** Takes back {@link #limit}. */
    void unlimit() throws IOException;

    /** As the node sees it. */
    enum Direction {
        INCOMING,
        OUTGOING
    }
}

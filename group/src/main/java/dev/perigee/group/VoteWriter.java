package dev.perigee.group;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.raft.Vote;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.ForceFailedException;
import dev.perigee.store.tail.Flusher.VoteOrder;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the flusher write votes. One that finds no room on the disk waits for it: nothing is said in its term before it is durable, so the
 * node is silent and stops nobody. Any other failure is final, for a file that was not forced may be anything.
 */
@ThreadSafe
final class VoteWriter {
    /** A full disk: with more room than this a write fails for another reason. */
    private static final long ROOM_BYTES = 64 << 10;

    /** Between two attempts. */
    private static final long RETRY_MS = 500;

    private static final Logger LOG = LoggerFactory.getLogger(VoteWriter.class);

    private final Disk disk;
    private final VoteFile votes;
    private final Consumer<VoteOrder> flusher;
    private final RaftInbox inbox;
    private volatile @Nullable Order newest;
    private long retryMs = Long.MIN_VALUE;

    /** @param flusher carries orders out, the latest of those that wait */
    VoteWriter(Disk disk, Consumer<VoteOrder> flusher, RaftInbox inbox) {
        this.disk = disk;
        this.votes = new VoteFile(disk);
        this.flusher = flusher;
        this.inbox = inbox;
    }

    private final class Order implements VoteOrder {
        private final Vote vote;
        private volatile boolean waits;
        private volatile boolean done;

        Order(Vote vote) {
            this.vote = vote;
        }

        @Override
        public void write() throws IOException {
            if (!this.equals(newest)) {
                return; // a later one stands in the file, or soon will
            }
            try {
                votes.write(vote);
                done = true;
            } catch (ForceFailedException e) {
                throw e;
            } catch (IOException e) {
                if (disk.freeBytes() >= ROOM_BYTES) {
                    throw e;
                }
                LOG.warn("event=vote_not_written vote=\"{}\" retryMs={} reason=\"{}\"", vote, RETRY_MS, e.getMessage());
                waits = true;
            }
        }

        @Override
        public void written() {
            if (done) {
                inbox.event(node -> node.votePersisted(vote));
            }
        }
    }

    /** A later vote replaces one that waits. Log loop. */
    void write(Vote vote) {
        Order order = new Order(vote);
        newest = order;
        flusher.accept(order);
    }

    /** Tries again what found no room. Log loop. */
    void retry(long nowMs) {
        Order order = newest;
        if (order != null && order.waits && nowMs >= retryMs) {
            retryMs = nowMs + RETRY_MS;
            order.waits = false;
            flusher.accept(order);
        }
    }
}

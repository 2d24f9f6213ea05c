package dev.perigee.group;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.raft.RaftOrderHeader;
import dev.perigee.raft.Effects;
import dev.perigee.raft.RaftNode;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.MembersChange;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.remoting.transport.Transport;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** What tools, and a member's own broker, may have its Raft node do. Each is carried out or refused, never both. */
@ThreadSafe
public final class GroupOrders {
    /** Longest wait of an order for the log loop. */
    static final long LIMIT_MS = 5_000;

    private static final int HEX = 16;

    private final RaftInbox inbox;
    private final Transport transport;

    GroupOrders(RaftInbox inbox, Transport transport) {
        this.inbox = inbox;
        this.transport = transport;
    }

    /**
     * Does what a tool orders.
     *
     * @return why it is not done, with the values of both sides; empty when it was begun
     */
    public CompletableFuture<Optional<String>> obey(RaftOrderHeader order) {
        String member = order.member();
        if (order.order().equals(RaftOrderHeader.TRANSFER)) {
            return member == null ? transferToBest() : transfer(member);
        }
        if (member == null) {
            return refused("order " + order.order() + " without a member");
        }
        return switch (order.order()) {
            case RaftOrderHeader.ADD -> add(member, order.nodeId(), order.address());
            case RaftOrderHeader.PROMOTE -> promote(member);
            case RaftOrderHeader.REMOVE -> remove(member);
            default -> refused("order " + order.order() + ", wanted transfer, add, promote or remove");
        };
    }

    private CompletableFuture<Optional<String>> add(
            String member, @Nullable String nodeIdText, @Nullable String address) {
        if (nodeIdText == null || address == null) {
            return refused("order add of " + member + " without its node id or its address");
        }
        try {
            return add(member, Long.parseUnsignedLong(nodeIdText, HEX), address);
        } catch (NumberFormatException e) {
            return refused("nodeId=" + nodeIdText + ", wanted up to 16 hexadecimal digits");
        }
    }

    private static CompletableFuture<Optional<String>> refused(String why) {
        return CompletableFuture.completedFuture(Optional.of(why));
    }

    /**
     * Another member is to lead.
     *
     * @return why it is not, for instance because this node does not lead; empty when it was begun
     */
    public CompletableFuture<Optional<String>> transfer(String successor) {
        return order(node -> node.transfer(successor));
    }

    /** As above, to the voter that holds most. */
    public CompletableFuture<Optional<String>> transferToBest() {
        return order(RaftNode::transferToBest);
    }

    /**
     * A new node receives the log, and counts for nothing yet.
     *
     * @param nodeId the name of its folder (R6)
     * @return why it does not, with the values of both sides; empty when the leader appends that, which is confirmed later
     */
    public CompletableFuture<Optional<String>> add(String id, long nodeId, String address) {
        return order(node -> node.change(new MembersChange.Add(new Member(id, nodeId, address))));
    }

    /** A node that only receives gets a vote; as {@link #add}. */
    public CompletableFuture<Optional<String>> promote(String id) {
        return order(node -> node.change(new MembersChange.Promote(id)));
    }

    /** A node leaves, also the one that leads; as {@link #add}. */
    public CompletableFuture<Optional<String>> remove(String id) {
        return order(node -> node.change(new MembersChange.Remove(id)));
    }

    private CompletableFuture<Optional<String>> order(RaftInbox.Event order) {
        return new NodeOrder(order).give(inbox, transport);
    }

    /**
     * An order for the Raft node, until that has heard it. It is carried out or refused, never both: where the log loop does not come to it for
     * {@link #LIMIT_MS}, or too many wait, it is refused.
     */
    @ThreadSafe
    private static final class NodeOrder {
        private final RaftInbox.Event order;
        private final CompletableFuture<Optional<String>> done = new CompletableFuture<>();
        /** It is being carried out, or was refused. */
        private final AtomicBoolean taken = new AtomicBoolean();

        NodeOrder(RaftInbox.Event order) {
            this.order = order;
        }

        /** Gives it to the node: completed with why it is refused, or empty when the node has begun it. */
        CompletableFuture<Optional<String>> give(RaftInbox inbox, Transport transport) {
            if (!inbox.order(this::tell)) {
                refuse(RaftInbox.MAX_ORDERS + " orders wait for the log already, no more may");
                return done;
            }
            try {
                LoopExecutor.Scheduled late = transport
                        .loop(0)
                        .schedule(LIMIT_MS, () -> refuse("the log did not come to it within " + LIMIT_MS + " ms"));
                CompletableFuture<?> unused = done.whenComplete((refusal, failure) -> late.cancel());
            } catch (RejectedExecutionException e) {
                refuse("the broker is stopping");
            }
            return done;
        }

        private void refuse(String why) {
            if (taken.compareAndSet(false, true)) {
                done.complete(Optional.of(why));
            }
        }

        private Effects tell(RaftNode node) {
            if (!taken.compareAndSet(false, true)) {
                return Effects.NONE;
            }
            Effects effects = order.tell(node);
            done.complete(effects.refusal());
            return effects;
        }
    }
}

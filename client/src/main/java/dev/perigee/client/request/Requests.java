package dev.perigee.client.request;

import dev.perigee.client.error.BufferFullException;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.route.TopicRoute;
import dev.perigee.client.send.Sending;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.remoting.call.Deadline;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests and waits for their replies (broker-client §8). Before a request leaves, every broker its reply may come through
 * knows this client.
 */
@ThreadSafe
public final class Requests {
    /** How the producer sends. */
    public interface Way {
        /** The route of a topic; fails with a client exception. */
        CompletableFuture<TopicRoute> route(String topic, Deadline deadline);

        /**
         * Checks a message and takes memory for it. Blocks while there is none, where the producer is set to and the thread may.
         */
        Parcel pack(Message message, Deadline deadline) throws ClientException;
    }

    /** A message ready to be sent by itself, which has its memory. It ends in one of two ways. */
    public interface Parcel {
        /** Sends it; empty when it was dropped before. */
        Optional<Sending> send();

        /** Gives its memory back, unless it was sent before. */
        void drop();
    }

    private final ClientInstance instance;
    private final Replies replies;
    private final ReplyRoutes routes;
    private final Way way;
    private final RandomGenerator random;

    /** @param random makes the ids that tie replies to requests; guarded here, so any generator will do */
    public Requests(ClientInstance instance, Replies replies, Way way, RandomGenerator random) {
        this.instance = instance;
        this.replies = replies;
        this.routes = new ReplyRoutes(instance);
        this.way = way;
        this.random = random;
    }

    /** One request under way. */
    private static final class Asking {
        private final String topic;
        private final Deadline deadline;
        private volatile @Nullable Supplier<FailureSite> sent;

        Asking(String topic, Deadline deadline) {
            this.topic = topic;
            this.deadline = deadline;
        }

        FailureSite site() {
            Supplier<FailureSite> where = sent;
            return where == null
                    ? FailureSite.untried(topic, deadline.remainingMs())
                    : where.get().withRemainingMs(deadline.remainingMs());
        }
    }

    /**
     * Sends a request; the future gives the reply, or fails with a client exception: that of the send, or at the deadline. A
     * request that was sent may have been carried out, whatever becomes of its reply. Completed on an event loop, the client loop or
     * the thread that inflates replies. Its message has memory from the start on, so this blocks as a send does while there is none.
     *
     * @param timeoutMs what the request says about how long it waits
     */
    public CompletableFuture<Message> request(Message message, long timeoutMs, Deadline deadline) {
        String id = correlationId();
        Asking asking = new Asking(message.topic(), deadline);
        CompletableFuture<Message> reply;
        Parcel parcel;
        try {
            parcel = way.pack(asking(message, id, timeoutMs), deadline);
        } catch (ClientException e) {
            return CompletableFuture.failedFuture(e);
        }
        try {
            reply = replies.begin(id, message.topic(), deadline.remainingMs());
        } catch (BufferFullException e) {
            parcel.drop();
            return CompletableFuture.failedFuture(e);
        }
        CompletableFuture<Message> bounded =
                instance.within(deadline, reply, "the wait for a reply correlationId=" + id, asking::site);
        Completion.on(bounded, (value, failure) -> {
            replies.end(id);
            parcel.drop(); // a request nobody waits for shall not be carried out
        });
        Completion.on(way.route(message.topic(), deadline), (route, failure) -> {
            if (failure != null) {
                reply.completeExceptionally(failure);
            } else {
                Completion.on(routes.ready(route), (ready, never) -> send(parcel, asking, reply));
            }
        });
        return bounded;
    }

    private Message asking(Message message, String id, long timeoutMs) {
        return message.withProperty(PropertyKey.CORRELATION_ID, id)
                .withProperty(PropertyKey.REPLY_TO_CLIENT, instance.settings().clientId())
                .withProperty(PropertyKey.TTL, Long.toString(timeoutMs));
    }

    private static void send(Parcel parcel, Asking asking, CompletableFuture<Message> reply) {
        if (asking.deadline.isExpired()) {
            return; // whoever waits is told by the timer
        }
        Sending sending = parcel.send().orElse(null);
        if (sending == null) {
            return;
        }
        asking.sent = sending.where();
        Completion.on(sending.result(), (stored, failure) -> {
            if (failure != null) {
                reply.completeExceptionally(failure);
            }
        });
    }

    private String correlationId() {
        synchronized (random) { // guards the generator, which need not be thread-safe; held for two draws
            return new UUID(random.nextLong(), random.nextLong()).toString();
        }
    }
}

package dev.perigee.client.route;

import dev.perigee.client.error.Answered;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.NoNameServerException;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Deadline;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls one NameServer and stays with it while it answers; otherwise the next one is tried, until each had its turn or
 * the deadline passed.
 */
@ThreadSafe
public final class NameServers {
    /** The shortest time one of several NameServers is given to answer. */
    static final long MIN_ATTEMPT_MS = 200;

    private static final Logger LOG = LoggerFactory.getLogger(NameServers.class);

    /** What a client says that was told no address. */
    public static final String NONE_CONFIGURED =
            "no NameServer is configured: name one as host:port (nameServers of the builder, or the environment's NAMESRV_ADDR)";

    /** Questions that every NameServer understands, and no broker. */
    private static final Set<Rpc<?, ?>> OF_EVERY_NAME_SERVER =
            Set.of(Rpcs.GET_ROUTEINFO_BY_TOPIC, Rpcs.GET_BROKER_CLUSTER_INFO, Rpcs.GET_ALL_TOPIC_LIST_FROM_NAMESERVER);

    private final List<String> addresses;
    private final RemotingClient remoting;
    private final AtomicInteger current;

    /** @param start the index of the first to ask, not negative; another for every client, so that they spread */
    public NameServers(List<String> addresses, RemotingClient remoting, int start) {
        this.addresses = List.copyOf(addresses);
        this.remoting = remoting;
        this.current = new AtomicInteger(start);
    }

    /** All configured addresses. */
    public List<String> addresses() {
        return addresses;
    }

    /**
     * Asks one NameServer. The future is completed on an event loop; it fails with {@link NoNameServerException} when none
     * answered.
     *
     * @param topic for the text of failures
     */
    public <Q extends Record, R extends Record> CompletableFuture<Answered<R>> call(
            Rpc<Q, R> rpc, Q header, byte @Nullable [] body, String topic, Deadline deadline) {
        CompletableFuture<Answered<R>> result = new CompletableFuture<>();
        if (addresses.isEmpty()) {
            result.completeExceptionally(
                    new NoNameServerException(NONE_CONFIGURED, FailureSite.untried(topic, deadline.remainingMs())));
            return result;
        }
        attempt(new Question<>(rpc, header, body, topic, deadline, result), 1);
        return result;
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Question<Q extends Record, R extends Record>(
            Rpc<Q, R> rpc,
            Q header,
            byte @Nullable [] body,
            String topic,
            Deadline deadline,
            CompletableFuture<Answered<R>> result) {
        FailureSite site(String address, int number) {
            return new FailureSite(address, topic, number, deadline.remainingMs());
        }
    }

    private <Q extends Record, R extends Record> void attempt(Question<Q, R> question, int number) {
        int index = current.get();
        String address = addresses.get(Math.floorMod(index, addresses.size()));
        long share = question.deadline.remainingMs() / (addresses.size() - number + 1L);
        Deadline attempt = question.deadline.atMost(Math.max(MIN_ATTEMPT_MS, share));
        Completion.on(
                remoting.call(address, question.rpc, question.header, question.body, attempt), (answer, failure) -> {
                    boolean isNone = failure == null
                            && answer.code() == ResponseCode.REQUEST_CODE_NOT_SUPPORTED
                            && OF_EVERY_NAME_SERVER.contains(question.rpc);
                    if (failure == null && !isNone) {
                        question.result.complete(new Answered<>(answer, question.site(address, number)));
                        return;
                    }
                    current.compareAndSet(index, index + 1);
                    if (number < addresses.size() && !question.deadline.isExpired()) {
                        LOG.info("event=name_server_switched from={} reason=\"{}\"", address, reason(address, failure));
                        attempt(question, number + 1);
                    } else {
                        question.result.completeExceptionally(noneAnswered(question, address, number, failure));
                    }
                });
    }

    private ClientException noneAnswered(
            Question<?, ?> question, String address, int number, @Nullable Throwable failure) {
        return new NoNameServerException(
                "no NameServer of " + addresses + " answered " + question.rpc + "; the last failure: "
                        + reason(address, failure),
                question.site(address, number),
                failure);
    }

    /** @param failure null when somebody answered who is no NameServer */
    private static String reason(String address, @Nullable Throwable failure) {
        return failure == null
                ? "what listens at " + address
                        + " is no NameServer but most likely a broker: it does not know this request"
                : String.valueOf(Failures.unwrap(failure).getMessage());
    }
}

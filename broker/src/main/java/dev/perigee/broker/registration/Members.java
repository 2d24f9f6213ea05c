package dev.perigee.broker.registration;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.route.MemberGroupHeader;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.MemberGroup;
import dev.perigee.protocol.route.MemberGroupBody;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks NameServers which brokers there are of a name; who does not answer within {@link #TIMEOUT_MS} knows of nobody. */
@OwnedBy("starting thread")
public final class Members {
    /** Longest wait for all that are asked at once. */
    static final long TIMEOUT_MS = 3_000;

    private static final Logger LOG = LoggerFactory.getLogger(Members.class);

    private final RemotingClient client;
    private final Clock clock;
    private final long timeoutMs;

    public Members(RemotingClient client, Clock clock) {
        this(client, clock, TIMEOUT_MS);
    }

    /** As above with another wait. */
    Members(RemotingClient client, Clock clock, long timeoutMs) {
        this.client = client;
        this.clock = clock;
        this.timeoutMs = timeoutMs;
    }

    /**
     * What each NameServer knows: addresses by broker id. All are asked at once, and who does not answer once more: the first call of a process may
     * take seconds on a busy machine. Blocks, twice {@link #TIMEOUT_MS} at most.
     */
    public Map<String, Map<Long, String>> of(String cluster, String brokerName, Collection<String> nameServers) {
        MemberGroupHeader question = new MemberGroupHeader(cluster, brokerName);
        Map<String, Map<Long, String>> members = new TreeMap<>();
        nameServers.forEach(each -> members.put(each, Map.of()));
        Set<String> silent = askAll(question, members.keySet(), members);
        for (String each : askAll(question, silent, members)) {
            LOG.warn(
                    "event=members_not_known nameServer={} name={} effect=\"whom only that one knows is not noticed\"",
                    each,
                    brokerName);
        }
        return members;
    }

    /** Who did not answer; what the others said is put in its place. */
    private Set<String> askAll(
            MemberGroupHeader question, Set<String> nameServers, Map<String, Map<Long, String>> members) {
        Map<String, CompletableFuture<? extends Answer<?>>> asked = new TreeMap<>();
        nameServers.forEach(each -> asked.put(each, ask(each, Rpcs.GET_BROKER_MEMBER_GROUP, question)));
        Set<String> silent = new TreeSet<>();
        asked.forEach((nameServer, future) -> {
            Optional<Answer<?>> answer = answered(future);
            if (answer.isPresent()) {
                members.put(nameServer, members(answer));
            } else {
                silent.add(nameServer);
            }
        });
        return silent;
    }

    <Q extends Record, R extends Record> CompletableFuture<Answer<R>> ask(String address, Rpc<Q, R> rpc, Q header) {
        return client.call(address, rpc, header, null, Deadline.after(clock, timeoutMs));
    }

    Optional<Answer<?>> answered(CompletableFuture<? extends Answer<?>> future) {
        try {
            Answer<?> answer = future.get(timeoutMs, TimeUnit.MILLISECONDS);
            return answer.isOk() ? Optional.of(answer) : Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException | TimeoutException e) {
            return Optional.empty();
        }
    }

    /** The addresses of an answer to {@link Rpcs#GET_BROKER_MEMBER_GROUP} by broker id; none where it has none. */
    static Map<Long, String> members(Optional<? extends Answer<?>> answer) {
        if (answer.isEmpty()) {
            return Map.of();
        }
        try {
            MemberGroup group =
                    Json.read(answer.get().body(), MemberGroupBody.class).brokerMemberGroup();
            return group == null ? Map.of() : group.brokerAddrs();
        } catch (BadBodyException e) {
            return Map.of();
        }
    }
}

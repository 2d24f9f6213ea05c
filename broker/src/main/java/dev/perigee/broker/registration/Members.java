package dev.perigee.broker.registration;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.route.MemberGroupHeader;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.ClusterInfo;
import dev.perigee.protocol.route.MemberGroup;
import dev.perigee.protocol.route.MemberGroupBody;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks NameServers which brokers there are of a name, and those brokers what they are. Whoever is asked is asked beside all others; who does not
 * answer within {@link #TIMEOUT_MS} knows of nobody, and is not there.
 */
@ThreadSafe
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
     * What each NameServer that answers knows: addresses by broker id. All are asked at once, and who does not answer once more: the first call of a process may
     * take seconds on a busy machine. Blocks, twice {@link #TIMEOUT_MS} at most.
     */
    public Map<String, Map<Long, String>> of(String cluster, String brokerName, Collection<String> nameServers) {
        Function<String, CompletableFuture<Map<Long, String>>> question = each -> known(each, cluster, brokerName);
        Map<String, Map<Long, String>> members = new TreeMap<>();
        Set<String> silent = new TreeSet<>(nameServers);
        members.putAll(askAll(silent, question));
        silent.removeAll(members.keySet());
        members.putAll(askAll(silent, question));
        silent.removeAll(members.keySet());
        for (String each : silent) {
            LOG.warn(
                    "event=members_not_known nameServer={} name={} effect=\"whom only that one knows is not noticed\"",
                    each,
                    brokerName);
        }
        return members;
    }

    /**
     * What one NameServer knows: addresses by broker id. One of the 4.x line, which knows no such question, is asked for its whole cluster. Fails when
     * it does not answer. Any thread.
     */
    CompletableFuture<Map<Long, String>> known(String nameServer, String cluster, String brokerName) {
        return ask(nameServer, Rpcs.GET_BROKER_MEMBER_GROUP, new MemberGroupHeader(cluster, brokerName))
                .thenCompose(answer -> answer.code() == ResponseCode.REQUEST_CODE_NOT_SUPPORTED
                        ? ask(nameServer, Rpcs.GET_BROKER_CLUSTER_INFO, NoHeader.NONE)
                                .thenApply(info -> ofCluster(body(info, ClusterInfo.class), cluster, brokerName))
                        : CompletableFuture.completedFuture(ofGroup(body(answer, MemberGroupBody.class))));
    }

    /** Which brokers of which clusters a NameServer knows. Fails when it does not answer. Any thread. */
    CompletableFuture<ClusterInfo> clusters(String nameServer) {
        return ask(nameServer, Rpcs.GET_BROKER_CLUSTER_INFO, NoHeader.NONE)
                .thenApply(answer -> body(answer, ClusterInfo.class));
    }

    /** How a broker stands among those of its name. Fails when it does not say. Any thread. */
    CompletableFuture<HaStatus> status(String address) {
        return ask(address, Rpcs.GET_BROKER_HA_STATUS, NoHeader.NONE).thenApply(answer -> body(answer, HaStatus.class));
    }

    /** What a broker answers; fails when it does not. Any thread. */
    <Q extends Record, R extends Record> CompletableFuture<Answer<R>> ask(String address, Rpc<Q, R> rpc, Q header) {
        return client.call(address, rpc, header, null, Deadline.after(clock, timeoutMs));
    }

    /** What those say that answer, by address; all are asked before the first answer is waited for. Blocks, {@link #TIMEOUT_MS} at most. */
    <T> Map<String, T> askAll(Collection<String> addresses, Function<String, CompletableFuture<T>> question) {
        Map<String, CompletableFuture<T>> asked = new TreeMap<>();
        addresses.forEach(each -> asked.put(each, question.apply(each)));
        Deadline deadline = Deadline.after(clock, timeoutMs);
        Map<String, T> answers = new TreeMap<>();
        asked.forEach((address, future) -> {
            try {
                answers.put(address, future.get(deadline.remainingMs(), TimeUnit.MILLISECONDS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException e) {
                LOG.info("event=not_answered address={} reason=\"{}\"", address, String.valueOf(e.getMessage()));
            }
        });
        return answers;
    }

    private static Map<Long, String> ofGroup(MemberGroupBody body) {
        MemberGroup group = body.brokerMemberGroup();
        return group == null ? Map.of() : group.brokerAddrs();
    }

    private static Map<Long, String> ofCluster(ClusterInfo info, String cluster, String brokerName) {
        BrokerData known = info.brokerAddrTable().get(brokerName);
        return known == null || !known.cluster().equals(cluster) ? Map.of() : known.brokerAddrs();
    }

    private static <T> T body(Answer<?> answer, Class<T> type) {
        if (!answer.isOk()) {
            throw new CompletionException(new IOException("code " + answer.code() + " " + answer.remarkText()));
        }
        try {
            return Json.read(answer.body(), type);
        } catch (BadBodyException e) {
            throw new CompletionException(e);
        }
    }
}

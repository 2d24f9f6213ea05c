package dev.perigee.client.member;

import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ConsumerRunningInfo;
import dev.perigee.protocol.header.client.ConsumerGroupHeader;
import dev.perigee.protocol.header.client.ConsumerStatusHeader;
import dev.perigee.protocol.header.client.RunningInfoHeader;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.ConsumerStatusBody;
import dev.perigee.protocol.stats.ResetOffsetBody;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.transport.Payload;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers what brokers ask of a member of a consumer group, whatever its kind (broker-client §11). Each kind adds its own
 * answer to CONSUME_MESSAGE_DIRECTLY.
 *
 * @param <M> the kind of member
 */
@ThreadSafe
public final class MemberRequests<M extends MemberRequests.Member> {
    private static final Logger LOG = LoggerFactory.getLogger(MemberRequests.class);

    /** Who is asked about. */
    public interface Member {
        /** Its group. Any thread. */
        String group();

        /** The client it belongs to. Any thread. */
        ClientInstance instance();

        /** Members came or went. Any thread. */
        void membersChanged();

        /** Goes on from other positions. Client loop. */
        void reset(Map<MessageQueue, Long> positions);

        /** What it reads. Client loop. */
        Collection<QueuePuller> pullers();

        /** What it is doing. Client loop. */
        ConsumerRunningInfo describe(boolean withStacks);
    }

    private volatile @Nullable M member;

    /** From now on requests are answered; before, they are refused. */
    public void bind(M asked) {
        this.member = asked;
    }

    /** The answers that all kinds share. */
    public HandlerTable.Builder table() {
        return HandlerTable.builder()
                .on(Rpcs.NOTIFY_CONSUMER_IDS_CHANGED, this::membersChanged)
                .on(Rpcs.RESET_CONSUMER_CLIENT_OFFSET, this::resetOffsets)
                .on(Rpcs.GET_CONSUMER_STATUS_FROM_CLIENT, this::positions)
                .on(Rpcs.GET_CONSUMER_RUNNING_INFO, this::runningInfo);
    }

    /** The member when it is bound and of this group; otherwise the request is refused. */
    public @Nullable M named(String group, Reply<?> reply) {
        M bound = member;
        if (bound == null || !bound.group().equals(group)) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "this client has no started consumer of group " + group);
            return null;
        }
        return bound;
    }

    private void membersChanged(Request<ConsumerGroupHeader> request, Reply<NoHeader> reply) {
        M bound = named(request.header().consumerGroup(), reply);
        if (bound != null) {
            bound.membersChanged();
            reply.ok(NoHeader.NONE);
        }
    }

    private void resetOffsets(Request<ResetOffsetHeader> request, Reply<NoHeader> reply) {
        M bound = named(request.header().group(), reply);
        if (bound == null) {
            return;
        }
        try {
            Map<MessageQueue, Long> positions =
                    Json.read(request.copyBody(), ResetOffsetBody.class).offsetTable();
            bound.instance().loop().execute(() -> bound.reset(positions));
            reply.ok(NoHeader.NONE);
        } catch (BadBodyException e) {
            LOG.warn(
                    "event=reset_unreadable from={} reason=\"{}\"",
                    request.from().remoteAddress(),
                    e.getMessage());
            reply.fail(ResponseCode.SYSTEM_ERROR, String.valueOf(e.getMessage()));
        }
    }

    private void positions(Request<ConsumerStatusHeader> request, Reply<NoHeader> reply) {
        M bound = named(request.header().group(), reply);
        if (bound == null) {
            return;
        }
        String topic = request.header().topic();
        bound.instance()
                .loop()
                .execute(() -> reply.guard(() -> {
                    Map<MessageQueue, Long> positions = new HashMap<>();
                    for (QueuePuller puller : bound.pullers()) {
                        if (puller.queue().topic().equals(topic)) {
                            positions.put(puller.queue(), puller.cache().commitOffset());
                        }
                    }
                    reply.ok(NoHeader.NONE, Payload.of(Json.write(new ConsumerStatusBody(positions, Map.of()))));
                }));
    }

    private void runningInfo(Request<RunningInfoHeader> request, Reply<NoHeader> reply) {
        M bound = named(request.header().consumerGroup(), reply);
        if (bound != null) {
            boolean withStacks = request.header().jstackEnable();
            bound.instance()
                    .loop()
                    .execute(() -> reply.guard(
                            () -> reply.ok(NoHeader.NONE, Payload.of(Json.write(bound.describe(withStacks))))));
        }
    }
}

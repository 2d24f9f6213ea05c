package dev.perigee.broker.client;

import dev.perigee.broker.check.Bodies;
import dev.perigee.broker.fact.WaitingReply;
import dev.perigee.broker.fact.WaitingRequests;
import dev.perigee.broker.group.GroupCreation;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.ProducerData;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.header.client.HeartbeatResponse;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.TopicName;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.replica.Standing;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answers HEART_BEAT (34). A heartbeat that needs a new group, its retry topic or its start positions is answered when
 * they are durable and visible; all others at once. One that waited undoes nothing that came after it. A group that may not be created is left out in silence.
 */
@ThreadSafe
public final class HeartbeatHandler implements RequestHandler<NoHeader, HeartbeatResponse> {
    /** Most producers and most consumers of one heartbeat; more refuse it. */
    static final int MAX_GROUPS = 1_000;

    /** Most topics one consumer subscribes to; more refuse the heartbeat. */
    static final int MAX_SUBSCRIPTIONS = 4_000;

    /** What a byte of a decoded heartbeat takes, about, while it waits. */
    private static final int MEMORY_PER_BYTE = 4;

    private final ClientRegistry clients;
    private final GroupCreation groups;
    private final WaitingRequests waiting;
    private final Standing standing;
    private final Clock clock;

    /**
     * One heartbeat on its way.
     *
     * @param consumers its consumers
     * @param bytes what it holds while it waits
     */
    private record Beat(List<ConsumerData> consumers, Sighting sighting, long bytes, Reply<HeartbeatResponse> reply) {}

    /** @param standing on a slave nothing is made for a consumer: it is there as soon as it is known */
    public HeartbeatHandler(
            ClientRegistry clients, GroupCreation groups, WaitingRequests waiting, Standing standing, Clock clock) {
        this.clients = clients;
        this.groups = groups;
        this.waiting = waiting;
        this.standing = standing;
        this.clock = clock;
    }

    @Override
    public void handle(Request<NoHeader> request, Reply<HeartbeatResponse> reply) {
        HeartbeatData data = Bodies.read(request, reply, HeartbeatData.class);
        if (data == null) {
            return;
        }
        String missing = missingIn(data);
        String excess = missing == null ? excessIn(data) : null;
        if (missing != null || excess != null) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "heartbeat has " + (missing != null ? "no " + missing : excess));
            return;
        }
        String tooLong = HeartbeatTexts.excessIn(data);
        if (tooLong != null) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "heartbeat: " + tooLong);
            return;
        }
        Sighting sighting = new Sighting(
                clients.nextOrder(),
                data.clientId(),
                request.from(),
                request.language().name(),
                request.version(),
                data.heartbeatFingerprint(),
                groups.confirmedEnd(),
                clock.monotonicMs(),
                clock.wallMs());
        data.producerDataSet().forEach(producer -> clients.producerSeen(producer.groupName(), sighting));
        if (data.withoutSub()) {
            reply.ok(new HeartbeatResponse(true, lightConsumers(data, sighting)));
        } else {
            long bytes = (long) MEMORY_PER_BYTE * request.body().remaining();
            takeConsumers(new Beat(List.copyOf(data.consumerDataSet()), sighting, bytes, reply), 0, null);
        }
    }

    /** The first member without which a heartbeat says nothing; null when all are there. */
    private static @Nullable String missingIn(HeartbeatData data) {
        if (Bodies.isBlank(data.clientId())) {
            return "clientID";
        }
        for (ProducerData producer : data.producerDataSet()) {
            if (producer == null || Bodies.isBlank(producer.groupName())) {
                return "groupName of a producer";
            }
        }
        for (ConsumerData consumer : data.consumerDataSet()) {
            if (consumer == null || Bodies.isBlank(consumer.groupName())) {
                return "groupName of a consumer";
            }
            for (SubscriptionData subscription : consumer.subscriptionDataSet()) {
                if (subscription == null || Bodies.isBlank(subscription.topic())) {
                    return "topic in a subscription of consumer group " + consumer.groupName();
                }
                if (subscription.topic().length() > TopicName.MAX_DERIVED_LENGTH) {
                    return "sound topic in a subscription of consumer group " + consumer.groupName() + ": "
                            + subscription.topic().length() + " characters, at most " + TopicName.MAX_DERIVED_LENGTH;
                }
            }
        }
        return null;
    }

    /** What there is too much of, with the limit; null when everything is within its limit. */
    private static @Nullable String excessIn(HeartbeatData data) {
        int groups =
                Math.max(data.producerDataSet().size(), data.consumerDataSet().size());
        if (groups > MAX_GROUPS) {
            return groups + " producers or consumers, limit " + MAX_GROUPS;
        }
        for (ConsumerData consumer : data.consumerDataSet()) {
            int subscriptions = consumer.subscriptionDataSet().size();
            if (subscriptions > MAX_SUBSCRIPTIONS) {
                return subscriptions + " subscriptions of consumer group " + consumer.groupName() + ", limit "
                        + MAX_SUBSCRIPTIONS;
            }
        }
        return null;
    }

    private boolean lightConsumers(HeartbeatData data, Sighting sighting) {
        boolean askAgain = false;
        for (ConsumerData consumer : data.consumerDataSet()) {
            askAgain |= clients.lightConsumerSeen(consumer.groupName(), sighting);
        }
        return askAgain;
    }

    /**
     * Takes one consumer after the other; each may have to wait for its group.
     *
     * @param waited null as long as none had to
     */
    private void takeConsumers(Beat beat, int next, @Nullable WaitingHeartbeat waited) {
        for (int i = next; i < beat.consumers().size(); i++) {
            ConsumerData consumer = beat.consumers().get(i);
            GroupCreation.Readiness readiness = readiness(consumer);
            if (readiness == GroupCreation.Readiness.READY) {
                if (!clients.consumerSeen(consumer, beat.sighting(), waited)) {
                    end(waited);
                    refuseForRoom(consumer, beat.reply());
                    return;
                }
                readiness = readiness(consumer); // a topic that came before the consumer was known is not pinned
            }
            if (readiness == GroupCreation.Readiness.LACKING) {
                waitFor(consumer, beat, i, waited);
                return;
            }
        }
        end(waited);
        beat.reply().ok(new HeartbeatResponse(true, true));
    }

    private GroupCreation.Readiness readiness(ConsumerData consumer) {
        return standing.isSlave() ? GroupCreation.Readiness.READY : groups.readiness(consumer);
    }

    private void waitFor(ConsumerData consumer, Beat beat, int index, @Nullable WaitingHeartbeat waited) {
        WaitingHeartbeat now = waited == null ? clients.waiting(beat.sighting().clientId()) : waited;
        WaitingReply<HeartbeatResponse> held = waiting.hold(
                beat.reply(), "consumer group [" + consumer.groupName() + "] to be prepared", beat.bytes(), refusal -> {
                    now.end();
                    refusal.answer(beat.reply());
                });
        if (held == null) {
            return;
        }
        held.onAnswer(now::end);
        groups.prepare(consumer, beat.sighting().confirmedEnd(), held, () -> {
            if (held.finish()) {
                goOn(beat, index, now);
            }
        });
    }

    private void goOn(Beat beat, int index, WaitingHeartbeat waited) {
        try {
            takeConsumers(beat, index, waited);
        } catch (RuntimeException e) { // whoever resumed this answers; the heartbeat waits no longer
            waited.end();
            throw e;
        }
    }

    private static void end(@Nullable WaitingHeartbeat waited) {
        if (waited != null) {
            waited.end();
        }
    }

    private void refuseForRoom(ConsumerData consumer, Reply<HeartbeatResponse> reply) {
        reply.fail(
                ResponseCode.SYSTEM_BUSY,
                "[OVERLOAD]heartbeat: no room for the subscriptionDataSet of consumer group " + consumer.groupName()
                        + ", the subscriptions of all groups take " + clients.subscriptionBytes() + " bytes, limit "
                        + clients.maxSubscriptionBytes() + ", try again");
    }
}

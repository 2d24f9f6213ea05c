package dev.perigee.broker.client;

import dev.perigee.broker.check.Bodies;
import dev.perigee.broker.filter.FilterCache;
import dev.perigee.broker.filter.FilterResult;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.CheckClientConfig;
import dev.perigee.protocol.client.ConsumerIdList;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.header.client.ConsumerGroupHeader;
import dev.perigee.protocol.header.client.UnregisterClientHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;

/** Answers UNREGISTER_CLIENT (35), GET_CONSUMER_LIST_BY_GROUP (38) and CHECK_CLIENT_CONFIG (46). */
@ThreadSafe
public final class ClientHandlers {
    private final ClientRegistry clients;
    private final FilterCache filters;

    public ClientHandlers(ClientRegistry clients, FilterCache filters) {
        this.clients = clients;
        this.filters = filters;
    }

    /** A client says goodbye. */
    public void unregister(Request<UnregisterClientHeader> request, Reply<NoHeader> reply) {
        UnregisterClientHeader header = request.header();
        clients.left(header.clientId(), header.producerGroup(), header.consumerGroup());
        reply.ok(NoHeader.NONE);
    }

    /** The ids of a group's members. */
    public void consumerIds(Request<ConsumerGroupHeader> request, Reply<NoHeader> reply) {
        ConsumerGroup group = clients.consumers(request.header().consumerGroup());
        if (group == null) {
            reply.fail(
                    ResponseCode.SYSTEM_ERROR,
                    "no consumer for this group, " + request.header().consumerGroup());
            return;
        }
        reply.ok(NoHeader.NONE, Bodies.json(new ConsumerIdList(group.clientIds())));
    }

    /** Whether this broker can filter as a starting consumer wishes. */
    public void checkConfig(Request<NoHeader> request, Reply<NoHeader> reply) {
        CheckClientConfig config = Bodies.read(request, reply, CheckClientConfig.class);
        if (config == null) {
            return;
        }
        SubscriptionData subscription = config.subscriptionData();
        if (subscription != null && filters.get(subscription) instanceof FilterResult.Unusable unusable) {
            unusable.refusal().answer(reply);
        } else {
            reply.ok(NoHeader.NONE);
        }
    }
}

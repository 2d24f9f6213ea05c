package dev.perigee.client.fake;

import dev.perigee.protocol.client.QueueLockRequest;
import dev.perigee.protocol.client.QueueLockResult;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.transport.Payload;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Queue locks that last until they are given back. */
final class FakeLocks {
    private FakeLocks() {}

    static void lock(Map<String, String> owners, Request<NoHeader> request, Reply<NoHeader> reply) {
        try {
            QueueLockRequest asked = Json.read(request.copyBody(), QueueLockRequest.class);
            Set<MessageQueue> held = new HashSet<>();
            synchronized (owners) {
                for (MessageQueue queue : asked.mqSet()) {
                    String owner = owners.putIfAbsent(asked.consumerGroup() + queue, asked.clientId());
                    if (owner == null || owner.equals(asked.clientId())) {
                        held.add(queue);
                    }
                }
            }
            reply.ok(NoHeader.NONE, Payload.of(Json.write(new QueueLockResult(held))));
        } catch (BadBodyException e) {
            reply.fail(ResponseCode.SYSTEM_ERROR, String.valueOf(e.getMessage()));
        }
    }

    static void unlock(Map<String, String> owners, Request<NoHeader> request, Reply<NoHeader> reply) {
        try {
            QueueLockRequest asked = Json.read(request.copyBody(), QueueLockRequest.class);
            synchronized (owners) {
                for (MessageQueue queue : asked.mqSet()) {
                    owners.remove(asked.consumerGroup() + queue, asked.clientId());
                }
            }
            reply.ok(NoHeader.NONE);
        } catch (BadBodyException e) {
            reply.fail(ResponseCode.SYSTEM_ERROR, String.valueOf(e.getMessage()));
        }
    }
}

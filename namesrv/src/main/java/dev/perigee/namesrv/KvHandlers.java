package dev.perigee.namesrv;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.namesrv.kv.KvTable;
import dev.perigee.protocol.header.kv.KvHeader;
import dev.perigee.protocol.header.kv.KvNamespaceHeader;
import dev.perigee.protocol.header.kv.KvResponse;
import dev.perigee.protocol.header.kv.PutKvHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.transport.Payload;
import java.util.Optional;
import java.util.SortedMap;

/** Reads and writes the KV configuration; a change is answered once it is durable. */
@ThreadSafe
final class KvHandlers {
    private final KvTable kv;

    KvHandlers(KvTable kv) {
        this.kv = kv;
    }

    void addTo(HandlerTable.Builder handlers) {
        handlers.on(Rpcs.PUT_KV_CONFIG, this::put)
                .on(Rpcs.GET_KV_CONFIG, this::get)
                .on(Rpcs.DELETE_KV_CONFIG, this::delete)
                .on(Rpcs.GET_KVLIST_BY_NAMESPACE, this::list);
    }

    private void put(Request<PutKvHeader> request, Reply<NoHeader> reply) {
        PutKvHeader header = request.header();
        kv.put(header.namespace(), header.key(), header.value(), outcome -> answer(outcome, reply));
    }

    private void delete(Request<KvHeader> request, Reply<NoHeader> reply) {
        KvHeader header = request.header();
        kv.delete(header.namespace(), header.key(), outcome -> answer(outcome, reply));
    }

    private void get(Request<KvHeader> request, Reply<KvResponse> reply) {
        KvHeader header = request.header();
        Optional<String> value = kv.get(header.namespace(), header.key());
        if (value.isPresent()) {
            reply.ok(new KvResponse(value.get()));
        } else {
            reply.fail(
                    ResponseCode.QUERY_NOT_FOUND,
                    "No config item, Namespace: " + header.namespace() + " Key: " + header.key());
        }
    }

    private void list(Request<KvNamespaceHeader> request, Reply<NoHeader> reply) {
        String namespace = request.header().namespace();
        SortedMap<String, String> entries = kv.inNamespace(namespace);
        if (entries.isEmpty()) {
            reply.fail(ResponseCode.QUERY_NOT_FOUND, "No config item, Namespace: " + namespace);
        } else {
            reply.ok(NoHeader.NONE, Payload.of(Json.write(new dev.perigee.protocol.route.KvTable(entries))));
        }
    }

    private static void answer(KvTable.Change outcome, Reply<NoHeader> reply) {
        if (outcome instanceof KvTable.Change.Refused refused) {
            reply.fail(ResponseCode.SYSTEM_ERROR, refused.reason());
        } else {
            reply.ok(NoHeader.NONE);
        }
    }
}

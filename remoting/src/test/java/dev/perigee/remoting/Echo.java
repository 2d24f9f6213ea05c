package dev.perigee.remoting;

import dev.perigee.protocol.rpc.RecordHeaderCodec;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.transport.Payload;

/** The calls the tests make. */
final class Echo {
    static final Rpc<EchoHeader, EchoHeader> ECHO = rpc(900, "ECHO");
    static final Rpc<EchoHeader, EchoHeader> OTHER = rpc(901, "OTHER");
    static final Rpc<EchoHeader, EchoHeader> WIDE = rpc(200_999, "WIDE");
    static final Rpc<EchoHeader, EchoHeader> UNKNOWN = rpc(902, "UNKNOWN");

    private Echo() {}

    /** Answers with the header and body of the request. */
    static void handle(Request<EchoHeader> request, Reply<EchoHeader> reply) {
        reply.ok(request.header(), Payload.of(request.copyBody()));
    }

    static HandlerTable.Builder table() {
        return HandlerTable.builder().on(ECHO, Echo::handle).on(WIDE, Echo::handle);
    }

    private static Rpc<EchoHeader, EchoHeader> rpc(int code, String name) {
        RecordHeaderCodec<EchoHeader> codec = RecordHeaderCodec.of(EchoHeader.class);
        return new Rpc<>(code, name, codec, codec);
    }
}

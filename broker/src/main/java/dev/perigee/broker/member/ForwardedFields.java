package dev.perigee.broker.member;

import dev.perigee.broker.client.ForwardedClient;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.frame.BadFieldException;
import dev.perigee.protocol.frame.FieldCursor;
import dev.perigee.protocol.frame.FieldSink;
import dev.perigee.protocol.frame.KeyTable;
import dev.perigee.protocol.frame.Language;
import dev.perigee.protocol.rpc.HeaderCodec;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.Request;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What goes beside the header of a request that is handed over: who asks, of which group it is handed over, and the fields that this release
 * does not know, as they came. Who asks is believed only on the port of the group, and what a client says there of itself is not handed on.
 */
@Immutable
final class ForwardedFields {
    /** Where the client is, {@code ip:port}. */
    static final String FOR = "forwardedFor";

    /** The client id of a consumer, as it named itself in its last heartbeat to the member that hands the request over. */
    static final String ID = "forwardedId";

    /** What the client is written in, by its name. */
    static final String LANGUAGE = "forwardedLanguage";

    /** The name of the group within which it is handed over. */
    static final String GROUP = "forwardedGroup";

    /** Names the log of that group, hex digits; not there while that of the member that hands over is empty. */
    static final String LOG = "forwardedLog";

    /** The how manieth request it is that this member hands over: over one connection from a client to it, later ones have higher numbers. */
    static final String NUMBER = "forwardedNumber";

    /** Longer names, and others than of ASCII, are not handed on. */
    static final int MAX_NAME_LENGTH = 255;

    /** More that this release does not know are not handed on: a leader reads no header of very many fields. */
    static final int MAX_UNKNOWN = 64;

    private static final int ASCII = 128;
    private static final KeyTable OWN = KeyTable.of(FOR, ID, LANGUAGE, GROUP, LOG, NUMBER);

    private ForwardedFields() {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Field(String name, byte[] value) {}

    /** How a request is handed over, and how long its header is. */
    record Handed<Q extends Record, R extends Record>(Rpc<Q, R> rpc, long headerBytes) {}

    /**
     * How this request is to be sent on. During {@link dev.perigee.remoting.RequestHandler#handle}.
     *
     * @param header the one that goes with it
     * @param clientId of the consumer that asks; null when it is none
     * @param group that of who hands it over
     * @param number the how manieth one that is
     * @return with the length of names and values of the header and of what is unknown here and goes along
     */
    static <Q extends Record, R extends Record> Handed<Q, R> of(
            Rpc<Q, R> rpc, Request<Q> request, Q header, @Nullable String clientId, OwnGroup group, long number) {
        Names known = new Names();
        rpc.request().encode(header, known);
        List<Field> unknown = new ArrayList<>();
        long bytes = known.bytes;
        FieldCursor fields = request.fields();
        while (unknown.size() < MAX_UNKNOWN && fields.next()) {
            String name = fields.keyText();
            if (fields.key(OWN) != KeyTable.UNKNOWN || known.all.contains(name) || !isPlain(name)) {
                fields.skip();
            } else {
                byte[] value = fields.utf8();
                unknown.add(new Field(name, value));
                bytes += name.length() + value.length;
            }
        }
        Asker asker = new Asker(
                request.from().remoteAddress(), clientId, request.language().name());
        Codec<Q> codec = new Codec<>(
                rpc.request(), unknown, asker, group.name(), group.logId().get().orElse(null), number);
        return new Handed<>(new Rpc<>(rpc.code(), rpc.name(), codec, rpc.response()), bytes);
    }

    private static boolean isPlain(String name) {
        return name.length() <= MAX_NAME_LENGTH && name.chars().allMatch(c -> c < ASCII);
    }

    /**
     * A request as its client made it.
     *
     * @param group that of who hands it over; null when that does not say it
     * @param log that of this group; null when it is not said
     */
    record Made<Q extends Record>(
            Request<Q> request,
            @Nullable String group,
            @Nullable String log) {}

    /** A request as its client made it, for whom a member hands it over. During {@link dev.perigee.remoting.RequestHandler#handle}. */
    static <Q extends Record> Made<Q> asMade(Request<Q> request) {
        String address = null;
        String clientId = null;
        String language = null;
        String group = null;
        String log = null;
        long number = 0;
        FieldCursor fields = request.fields();
        while (fields.next()) {
            switch (fields.key(OWN)) {
                case 0 -> address = fields.text();
                case 1 -> clientId = fields.text();
                case 2 -> language = fields.text();
                case 3 -> group = fields.text();
                case 4 -> log = fields.text();
                case 5 -> number = number(fields.text());
                default -> fields.skip();
            }
        }
        ForwardedClient client = address == null
                ? null
                : ForwardedClient.of(request.from(), address, clientId, number).orElse(null);
        return new Made<>(
                client == null ? request : new ForwardedRequest<>(request, client, Language.ofName(language)),
                group,
                log);
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return 0; // as of one that does not say it
        }
    }

    /** Who asks. */
    private record Asker(String address, @Nullable String clientId, String language) {}

    /** Writes a header with what goes along. */
    private record Codec<Q>(
            HeaderCodec<Q> known,
            List<Field> unknown,
            Asker asker,
            String group,
            @Nullable String log,
            long number) implements HeaderCodec<Q> {
        @Override
        public Q decode(FieldCursor fields) throws BadFieldException {
            return known.decode(fields);
        }

        @Override
        public void encode(Q header, FieldSink out) {
            known.encode(header, out);
            unknown.forEach(field -> out.utf8(field.name(), field.value()));
            out.text(FOR, asker.address());
            out.text(ID, asker.clientId());
            out.text(LANGUAGE, asker.language());
            out.text(GROUP, group);
            out.text(LOG, log);
            out.number(NUMBER, number);
        }
    }

    /** Takes note of the names of fields, and of how long all is. */
    private static final class Names implements FieldSink {
        private final Set<String> all = new HashSet<>();
        private long bytes;

        @Override
        public void text(String name, @Nullable String value) {
            if (value != null) {
                add(name, value.length());
            }
        }

        @Override
        public void utf8(String name, byte[] value) {
            add(name, value.length);
        }

        @Override
        public void number(String name, long value) {
            add(name, Long.BYTES);
        }

        @Override
        public void flag(String name, boolean value) {
            add(name, 1);
        }

        private void add(String name, int valueBytes) {
            all.add(name);
            bytes += name.length() + valueBytes;
        }
    }
}

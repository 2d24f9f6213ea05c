package dev.perigee.protocol.route;

import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.DataVersion;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicConfigTable;
import dev.perigee.protocol.topic.TopicFilterType;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * The compressed form of a registration body: zlib over length-prefixed pieces.
 *
 * <pre>
 * int32 n | n bytes: data version as JSON
 * int32 topics | for each: int32 n | n bytes: "name readQueues writeQueues perm filterType attributesJson"
 * int32 n | n bytes: filter servers as JSON
 * int32 mappings | for each: int32 n | n bytes: JSON          (5.x senders only)
 * </pre>
 *
 * A 4.9 sender leaves the attributes out: five words. Static topic mappings are passed over.
 */
public final class RegisterBrokerBodyCodec {
    /** Inflated bytes beyond this are refused: a small body must not fill the memory. */
    public static final int MAX_INFLATED_BYTES = 64 << 20;

    private static final int LEAST_WORDS = 5;
    private static final int MOST_WORDS = 6;

    private RegisterBrokerBodyCodec() {}

    /** Writes the body as a 5.x sender does. */
    public static byte[] encode(RegisterBrokerBody body) {
        TopicConfigTable table = body.topicConfigSerializeWrapper();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
        try (DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(bytes, deflater))) {
            writePiece(out, Json.write(table.dataVersion()));
            out.writeInt(table.topicConfigTable().size());
            for (TopicConfig topic : table.topicConfigTable().values()) {
                writePiece(out, line(topic).getBytes(StandardCharsets.UTF_8));
            }
            writePiece(out, Json.write(body.filterServerList()));
            out.writeInt(0);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory cannot fail", e);
        } finally {
            deflater.end();
        }
        return bytes.toByteArray();
    }

    /**
     * Reads a body of either sender.
     *
     * @throws BadBodyException when it is not of this form or inflates beyond {@link #MAX_INFLATED_BYTES}
     */
    public static RegisterBrokerBody decode(byte[] body) throws BadBodyException {
        try (InflaterInputStream inflated = new InflaterInputStream(new ByteArrayInputStream(body))) {
            byte[] plain = inflated.readNBytes(MAX_INFLATED_BYTES + 1);
            if (plain.length > MAX_INFLATED_BYTES) {
                throw new BadBodyException("body inflates beyond " + MAX_INFLATED_BYTES + " bytes");
            }
            return decodePlain(new DataInputStream(new ByteArrayInputStream(plain)));
        } catch (IOException e) {
            throw new BadBodyException("body is no compressed registration: " + e, e);
        }
    }

    private static RegisterBrokerBody decodePlain(DataInputStream in) throws IOException, BadBodyException {
        DataVersion version = Json.read(readPiece(in), DataVersion.class);
        int count = in.readInt();
        Map<String, TopicConfig> topics = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            TopicConfig topic = topic(new String(readPiece(in), StandardCharsets.UTF_8));
            topics.put(topic.topicName(), topic);
        }
        List<String> filterServers = new ArrayList<>();
        for (Object server : Json.read(readPiece(in), List.class)) {
            filterServers.add(String.valueOf(server));
        }
        return new RegisterBrokerBody(TopicConfigTable.of(topics, version), filterServers);
    }

    private static String line(TopicConfig topic) {
        return topic.topicName()
                + ' '
                + topic.readQueueNums()
                + ' '
                + topic.writeQueueNums()
                + ' '
                + topic.perm()
                + ' '
                + topic.topicFilterType()
                + ' '
                + Json.writeText(topic.attributes());
    }

    private static TopicConfig topic(String line) throws BadBodyException {
        String[] words = line.split(" ", MOST_WORDS);
        if (words.length < LEAST_WORDS) {
            throw new BadBodyException(
                    "topic line '" + line + "' has " + words.length + " words, wanted at least " + LEAST_WORDS);
        }
        Map<String, String> attributes = new LinkedHashMap<>();
        if (words.length == MOST_WORDS) {
            Map<?, ?> read = Json.read(words[LEAST_WORDS], Map.class);
            read.forEach((name, value) -> attributes.put(String.valueOf(name), String.valueOf(value)));
        }
        try {
            return new TopicConfig(
                    words[0],
                    Integer.parseInt(words[1]),
                    Integer.parseInt(words[2]),
                    Integer.parseInt(words[3]),
                    TopicFilterType.valueOf(words[4]),
                    0,
                    false,
                    attributes);
        } catch (IllegalArgumentException e) {
            throw new BadBodyException("topic line '" + line + "' cannot be read: " + e.getMessage(), e);
        }
    }

    private static void writePiece(DataOutputStream out, byte[] piece) throws IOException {
        out.writeInt(piece.length);
        out.write(piece);
    }

    private static byte[] readPiece(DataInputStream in) throws IOException {
        int sizeBytes = in.readInt();
        if (sizeBytes < 0 || sizeBytes > in.available()) {
            throw new EOFException("a piece of " + sizeBytes + " bytes where " + in.available() + " are left");
        }
        return in.readNBytes(sizeBytes);
    }
}

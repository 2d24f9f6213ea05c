package dev.perigee.protocol.allocate;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageQueue;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Each member stands at several points of a ring; a queue belongs to the first point at or after its own hash. A member
 * that comes or goes moves few queues.
 *
 * @param virtualNodes points per member on the ring; above 0
 */
@Immutable
public record AllocateMessageQueueConsistentHash(int virtualNodes) implements AllocateMessageQueueStrategy {
    /** Points per member that every stock client uses. */
    public static final int DEFAULT_VIRTUAL_NODES = 10;

    public AllocateMessageQueueConsistentHash {
        if (virtualNodes <= 0) {
            throw new IllegalArgumentException("virtualNodes=" + virtualNodes + ", must be above 0");
        }
    }

    public AllocateMessageQueueConsistentHash() {
        this(DEFAULT_VIRTUAL_NODES);
    }

    @Override
    public String name() {
        return "CONSISTENT_HASH";
    }

    @Override
    public List<MessageQueue> allocate(String group, String self, List<MessageQueue> queues, List<String> members) {
        if (!members.contains(self)) {
            return List.of();
        }
        MessageDigest md5 = md5();
        TreeMap<Long, String> ring = new TreeMap<>();
        for (String member : members) {
            for (int k = 0; k < virtualNodes; k++) {
                ring.put(hash(md5, member + "-" + k), member);
            }
        }
        return queues.stream()
                .filter(q -> owner(ring, hash(md5, ringKey(q))).equals(self))
                .toList();
    }

    private static String owner(TreeMap<Long, String> ring, long place) {
        Map.Entry<Long, String> node = ring.ceilingEntry(place);
        return node != null ? node.getValue() : ring.firstEntry().getValue();
    }

    /** The text every client hashes; part of the protocol, not a display form. */
    private static String ringKey(MessageQueue queue) {
        return "MessageQueue [topic=" + queue.topic() + ", brokerName=" + queue.brokerName() + ", queueId="
                + queue.queueId() + "]";
    }

    private static long hash(MessageDigest md5, String key) {
        byte[] digest = md5.digest(key.getBytes(StandardCharsets.UTF_8));
        return Integer.toUnsignedLong(ByteBuffer.wrap(digest).getInt());
    }

    private static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform must offer MD5", e);
        }
    }
}

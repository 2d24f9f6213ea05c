package dev.perigee.dist;

import dev.perigee.cli.message.MessageText;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.store.log.LogScanner;
import dev.perigee.store.view.LogEntry;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One place of a log as a line for a person and as members for a program; moved from place to place. */
@OwnedBy("command thread")
final class FrameText {
    private final LogEntry entry = new LogEntry();
    private final Map<String, @Nullable Object> members = new LinkedHashMap<>();
    private boolean isSound;
    private boolean isFact;

    FrameText() {}

    /** Moves to where the scanner stands; what is told then is valid until the scanner moves. */
    void moveTo(LogScanner scanner) {
        members.clear();
        isSound = scanner.isSound();
        isFact = false;
        members.put("offset", scanner.offset());
        members.put("size", scanner.sizeBytes());
        members.put("verdict", scanner.verdict().name());
        if (!isSound) {
            return;
        }
        entry.wrap(scanner.frame(), 0, scanner.offset());
        members.put("topic", entry.topic());
        members.put("queue", entry.queueId());
        members.put("queueOffset", entry.queueOffset());
        members.put("stored", time(entry.storeTimestampMs()));
        members.put("epoch", scanner.epoch());
        if (scanner.unitContinues()) {
            members.put("unitContinues", true);
        }
        Object fact = entry.isFact() ? entry.fact() : null;
        if (fact != null) {
            isFact = true;
            members.put("fact", fact.toString());
        }
    }

    boolean isFact() {
        return isFact;
    }

    /** What tells places apart. */
    String line() {
        StringBuilder line = new StringBuilder();
        members.forEach(
                (name, value) -> line.append(name).append('=').append(value).append(' '));
        return line.toString().stripTrailing();
    }

    /** Everything that stands there: also hosts, flags, properties and the body, as it is stored. */
    Map<String, @Nullable Object> whole() {
        Map<String, @Nullable Object> whole = new LinkedHashMap<>(members);
        if (!isSound) {
            return whole;
        }
        MessageFrame frame = entry.frame();
        whole.put("born", time(frame.bornTimestampMs()));
        whole.put("bornHost", MessageText.address(frame.bornHost()));
        whole.put("storeHost", MessageText.address(frame.storeHost()));
        whole.put("flag", frame.flag());
        whole.put("sysFlag", frame.sysFlag());
        whole.put("bodyCrc", frame.bodyCrc());
        whole.put("reconsumeTimes", frame.reconsumeTimes());
        whole.put("preparedTransactionOffset", frame.preparedTransactionOffset());
        whole.put("properties", new TreeMap<>(frame.properties()));
        if (!isFact) { // the body of a fact is the fact
            ByteBuffer stored = frame.body();
            byte[] body = new byte[stored.remaining()];
            stored.get(body);
            MessageText.putBody(whole, body);
        }
        return whole;
    }

    private static String time(long timestampMs) {
        return Instant.ofEpochMilli(timestampMs).toString();
    }
}

package dev.perigee.dist;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.log.LogScanner;
import dev.perigee.store.view.LogEntry;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** One place of a log as members and as a line. */
@OwnedBy("command thread")
final class FrameText {
    private final LogEntry entry = new LogEntry();

    FrameText() {}

    Map<String, Object> members(LogScanner scanner) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("offset", scanner.offset());
        members.put("size", scanner.sizeBytes());
        members.put("verdict", scanner.verdict().name());
        if (!scanner.isSound()) {
            return members;
        }
        entry.wrap(scanner.frame(), 0, scanner.offset());
        members.put("topic", entry.topic());
        members.put("queue", entry.queueId());
        members.put("queueOffset", entry.queueOffset());
        members.put("stored", Instant.ofEpochMilli(entry.storeTimestampMs()).toString());
        members.put("epoch", scanner.epoch());
        if (scanner.unitContinues()) {
            members.put("unitContinues", true);
        }
        Object fact = entry.isFact() ? entry.fact() : null;
        if (fact != null) {
            members.put("fact", fact.toString());
        }
        return members;
    }

    static String line(Map<String, Object> members) {
        StringBuilder line = new StringBuilder();
        members.forEach(
                (name, value) -> line.append(name).append('=').append(value).append(' '));
        return line.toString().stripTrailing();
    }
}

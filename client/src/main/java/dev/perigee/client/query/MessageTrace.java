package dev.perigee.client.query;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.trace.TraceRecord;
import dev.perigee.protocol.trace.TraceRecords;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What clients of either kind noted about one message.
 *
 * @param notes the notes, the oldest first; of what was noted at the same time, in the order it happens to a message
 * @param unreadable how many records of the messages that were found could not be read
 * @param missing the brokers that may hold more notes
 */
@Immutable
public record MessageTrace(List<Note> notes, int unreadable, List<Missing> missing) {
    public MessageTrace {
        notes = List.copyOf(notes);
        missing = List.copyOf(missing);
    }

    /**
     * A note.
     *
     * @param atMs when it was noted; worked out where the record of an old client does not say
     * @param clientHost whose note it is, {@code ip:port} as the broker saw it
     * @param record what it says
     */
    @Immutable
    public record Note(long atMs, String clientHost, TraceRecord record) {}

    /** Whether every broker was heard to the end. */
    public boolean isComplete() {
        return missing.isEmpty();
    }

    /** Reads what was found in a trace topic by the id of a message. For the library's own packages. */
    public static MessageTrace of(String messageId, Found found) {
        Map<String, Long> begunMs = new HashMap<>();
        Map<TraceRecord, String> hosts = new HashMap<>();
        Set<TraceRecord> records = new LinkedHashSet<>(); // a trace message may have been stored twice
        int unreadable = 0;
        for (MessageExt message : found.messages()) {
            if (message.isCompressed()) { // its body could not be inflated
                unreadable++;
                continue;
            }
            TraceRecords read = TraceRecords.of(message.bodyText());
            unreadable += read.unreadable();
            for (TraceRecord record : read.records()) {
                if (record.messageId().equals(messageId)) {
                    records.add(record);
                    hosts.put(record, hostOf(message));
                    if (record instanceof TraceRecord.ConsumeBegun begun) {
                        begunMs.put(begun.requestId(), begun.timeMs());
                    }
                }
            }
        }
        List<Note> notes = new ArrayList<>();
        for (TraceRecord record : records) {
            notes.add(new Note(timeOf(record, begunMs), hosts.getOrDefault(record, ""), record));
        }
        notes.sort(Comparator.comparingLong(Note::atMs).thenComparingInt(note -> rank(note.record)));
        return new MessageTrace(notes, unreadable, found.missing());
    }

    private static String hostOf(MessageExt message) {
        return message.bornHost().getAddress().getHostAddress() + ":"
                + message.bornHost().getPort();
    }

    private static long timeOf(TraceRecord record, Map<String, Long> begunMs) {
        if (record.timeMs() > 0 || !(record instanceof TraceRecord.ConsumeEnded ended)) {
            return record.timeMs();
        }
        Long begun = begunMs.get(ended.requestId());
        return begun == null ? 0 : begun + ended.costMs();
    }

    private static int rank(TraceRecord record) {
        if (record instanceof TraceRecord.ConsumeBegun) {
            return 2;
        }
        if (record instanceof TraceRecord.ConsumeEnded) {
            return 3;
        }
        return record instanceof TraceRecord.Sent ? 0 : 1;
    }
}

package dev.perigee.cli.message;

import dev.perigee.client.query.MessageTrace.Note;
import dev.perigee.protocol.trace.TraceRecord;
import dev.perigee.protocol.trace.TraceRecord.ConsumeBegun;
import dev.perigee.protocol.trace.TraceRecord.ConsumeEnded;
import dev.perigee.protocol.trace.TraceRecord.Recalled;
import dev.perigee.protocol.trace.TraceRecord.Sent;
import dev.perigee.protocol.trace.TraceRecord.TransactionEnded;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Trace notes as cells of a table; null where a note has nothing to say. Pure. */
final class TraceText {
    private static final Map<Class<? extends TraceRecord>, String> WORDS = Map.of(
            Sent.class, "sent",
            ConsumeBegun.class, "listener called",
            ConsumeEnded.class, "listener ended",
            TransactionEnded.class, "decided",
            Recalled.class, "recalled");

    private TraceText() {}

    static Object time(Note note) {
        return Instant.ofEpochMilli(note.atMs()).toString();
    }

    static Object what(Note note) {
        return WORDS.getOrDefault(note.record().getClass(), "?");
    }

    static @Nullable Object outcome(Note note) {
        TraceRecord record = note.record();
        if (record instanceof ConsumeEnded ended) {
            return lower(ended.ending());
        }
        if (record instanceof TransactionEnded decided) {
            return decided.state();
        }
        Boolean isSuccess = record instanceof Sent sent
                ? Boolean.valueOf(sent.isSuccess())
                : of(note, Recalled.class, Recalled::isSuccess);
        return isSuccess == null ? null : isSuccess ? "success" : "failed";
    }

    static @Nullable Object storeHost(Note note) {
        String ofSend = of(note, Sent.class, Sent::storeHost);
        return ofSend != null ? ofSend : of(note, TransactionEnded.class, TransactionEnded::storeHost);
    }

    static @Nullable Object costMs(Note note) {
        Long ofSend = of(note, Sent.class, Sent::costMs);
        return ofSend != null ? ofSend : of(note, ConsumeEnded.class, ConsumeEnded::costMs);
    }

    static @Nullable Object retries(Note note) {
        return of(note, ConsumeBegun.class, ConsumeBegun::retryTimes);
    }

    static @Nullable Object topic(Note note) {
        String ofSend = of(note, Sent.class, Sent::topic);
        return ofSend != null ? ofSend : of(note, TransactionEnded.class, TransactionEnded::topic);
    }

    static @Nullable Object requestId(Note note) {
        String begun = of(note, ConsumeBegun.class, ConsumeBegun::requestId);
        return begun != null ? begun : of(note, ConsumeEnded.class, ConsumeEnded::requestId);
    }

    static @Nullable Object offsetMessageId(Note note) {
        return of(note, Sent.class, Sent::offsetMessageId);
    }

    static @Nullable Object bodyBytes(Note note) {
        return of(note, Sent.class, Sent::bodyBytes);
    }

    static @Nullable Object kind(Note note) {
        return of(note, Sent.class, sent -> lower(sent.kind()));
    }

    static @Nullable Object fromCheck(Note note) {
        return of(note, TransactionEnded.class, TransactionEnded::isFromCheck);
    }

    private static <T extends TraceRecord, V> @Nullable V of(Note note, Class<T> type, Function<T, @Nullable V> value) {
        return type.isInstance(note.record()) ? value.apply(type.cast(note.record())) : null;
    }

    private static String lower(Enum<?> word) {
        return word.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}

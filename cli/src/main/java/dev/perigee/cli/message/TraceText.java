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

    /** Records of old clients may not say it. */
    static @Nullable Object time(Note note) {
        return note.atMs() == 0 ? null : Instant.ofEpochMilli(note.atMs()).toString();
    }

    /** One sentence about notes that are there and were not understood. */
    static String unreadable(int count) {
        return "perigee: " + count + (count == 1 ? " note" : " notes") + " could not be read and "
                + (count == 1 ? "is" : "are") + " not shown";
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
        return first(
                of(note, Sent.class, Sent::storeHost), of(note, TransactionEnded.class, TransactionEnded::storeHost));
    }

    static @Nullable Object costMs(Note note) {
        return first(of(note, Sent.class, Sent::costMs), of(note, ConsumeEnded.class, ConsumeEnded::costMs));
    }

    static @Nullable Object retries(Note note) {
        return of(note, ConsumeBegun.class, ConsumeBegun::retryTimes);
    }

    static @Nullable Object topic(Note note) {
        return first(
                of(note, Sent.class, Sent::topic),
                of(note, TransactionEnded.class, TransactionEnded::topic),
                of(note, Recalled.class, Recalled::topic));
    }

    static @Nullable Object tag(Note note) {
        return first(of(note, Sent.class, Sent::tags), of(note, TransactionEnded.class, TransactionEnded::tags));
    }

    static @Nullable Object transactionId(Note note) {
        return of(note, TransactionEnded.class, TransactionEnded::transactionId);
    }

    static @Nullable Object requestId(Note note) {
        return first(
                of(note, ConsumeBegun.class, ConsumeBegun::requestId),
                of(note, ConsumeEnded.class, ConsumeEnded::requestId));
    }

    static @Nullable Object offsetMessageId(Note note) {
        return of(note, Sent.class, Sent::offsetMessageId);
    }

    static @Nullable Object bodyBytes(Note note) {
        return of(note, Sent.class, Sent::bodyBytes);
    }

    static @Nullable Object kind(Note note) {
        return first(
                of(note, Sent.class, sent -> lower(sent.kind())),
                of(note, TransactionEnded.class, decided -> lower(decided.kind())));
    }

    static @Nullable Object fromCheck(Note note) {
        return of(note, TransactionEnded.class, TransactionEnded::isFromCheck);
    }

    private static <T extends TraceRecord, V> @Nullable V of(Note note, Class<T> type, Function<T, @Nullable V> value) {
        return type.isInstance(note.record()) ? value.apply(type.cast(note.record())) : null;
    }

    /** What the kind of record says that says anything. */
    private static @Nullable Object first(@Nullable Object... ofKinds) {
        for (Object ofKind : ofKinds) {
            if (ofKind != null) {
                return ofKind;
            }
        }
        return null;
    }

    private static String lower(Enum<?> word) {
        return word.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}

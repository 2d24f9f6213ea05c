package dev.perigee.protocol.trace;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.trace.TraceRecord.ConsumeBegun;
import dev.perigee.protocol.trace.TraceRecord.ConsumeEnded;
import dev.perigee.protocol.trace.TraceRecord.Ending;
import dev.perigee.protocol.trace.TraceRecord.Kind;
import dev.perigee.protocol.trace.TraceRecord.Recalled;
import dev.perigee.protocol.trace.TraceRecord.Sent;
import dev.perigee.protocol.trace.TraceRecord.TransactionEnded;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of a trace message in both directions. A record is its fields, each but the last followed by 0x01, the last by
 * 0x02; the first field is its kind. A missing or empty text is written {@code null}. Written are the long forms, which every reader
 * takes; read are also those of older clients:
 *
 * <pre>
 * Pub             time region group topic msgId tags keys storeHost bodyLength cost kind [offsetMsgId] success [clientHost]
 * SubBefore       time region group requestId msgId retryTimes keys
 * SubAfter        requestId msgId cost success keys [ending] [time group]
 * EndTransaction  time region group topic msgId tags keys storeHost kind transactionId state fromCheck
 * Recall          time region group topic msgId success
 * </pre>
 *
 * @param records what could be read, in their order
 * @param unreadable how many records could not be, and are left out
 */
@Immutable
public record TraceRecords(List<TraceRecord> records, int unreadable) {
    private static final char FIELD_END = 1;
    private static final char RECORD_END = 2;
    private static final String NULL = "null";

    private static final String SENT = "Pub";
    private static final String BEGUN = "SubBefore";
    private static final String ENDED = "SubAfter";
    private static final String TRANSACTION = "EndTransaction";
    private static final String RECALL = "Recall";

    /** A Pub without offset message id, and one without client host. */
    private static final int SENT_SHORT = 13;

    private static final int SENT_FIELDS = 14;

    public TraceRecords {
        records = List.copyOf(records);
    }

    /** The text of one record. Characters that would end a field are written as blanks. */
    public static String text(TraceRecord record) {
        StringBuilder out = new StringBuilder();
        if (record instanceof Sent sent) {
            add(out, SENT, sent.timeMs(), sent.region(), sent.group(), sent.topic(), sent.messageId(), sent.tags());
            add(
                    out,
                    sent.keys(),
                    sent.storeHost(),
                    sent.bodyBytes(),
                    sent.costMs(),
                    sent.kind().number());
            add(out, sent.offsetMessageId(), sent.isSuccess());
            if (sent.clientHost() != null) {
                add(out, sent.clientHost());
            }
        } else if (record instanceof ConsumeBegun begun) {
            add(out, BEGUN, begun.timeMs(), begun.region(), begun.group(), begun.requestId(), begun.messageId());
            add(out, begun.retryTimes(), begun.keys());
        } else if (record instanceof ConsumeEnded ended) {
            add(out, ENDED, ended.requestId(), ended.messageId(), ended.costMs(), ended.isSuccess(), ended.keys());
            add(out, ended.ending().number(), ended.timeMs(), ended.group());
        } else {
            addRare(out, record);
        }
        out.setCharAt(out.length() - 1, RECORD_END);
        return out.toString();
    }

    private static void addRare(StringBuilder out, TraceRecord record) {
        if (record instanceof TransactionEnded end) {
            add(out, TRANSACTION, end.timeMs(), end.region(), end.group(), end.topic(), end.messageId(), end.tags());
            add(out, end.keys(), end.storeHost(), end.kind().number(), end.transactionId(), end.state());
            add(out, end.isFromCheck());
        } else if (record instanceof Recalled recalled) {
            add(out, RECALL, recalled.timeMs(), recalled.region(), recalled.group(), recalled.topic());
            add(out, recalled.messageId(), recalled.isSuccess());
        }
    }

    private static void add(StringBuilder out, @Nullable Object... fields) {
        for (Object field : fields) {
            String text = String.valueOf(field);
            if (text.isEmpty()) {
                text = NULL; // a reader that splits as stock clients do loses an empty last field
            }
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                out.append(c == FIELD_END || c == RECORD_END ? ' ' : c);
            }
            out.append(FIELD_END);
        }
    }

    /** Reads a body, whoever wrote it: what cannot be read is counted and left out. */
    public static TraceRecords of(String body) {
        List<TraceRecord> records = new ArrayList<>();
        int unreadable = 0;
        for (String text : body.split(String.valueOf(RECORD_END), -1)) {
            if (text.isEmpty()) {
                continue;
            }
            TraceRecord record = read(text.split(String.valueOf(FIELD_END), -1));
            if (record == null) {
                unreadable++;
            } else {
                records.add(record);
            }
        }
        return new TraceRecords(records, unreadable);
    }

    private static @Nullable TraceRecord read(String[] fields) {
        try {
            return switch (fields[0]) {
                case SENT -> sent(fields);
                case BEGUN -> begun(fields);
                case ENDED -> ended(fields);
                case TRANSACTION -> transactionEnded(fields);
                case RECALL -> recalled(fields);
                default -> null;
            };
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return null; // what somebody else wrote
        }
    }

    private static Sent sent(String[] f) {
        boolean isShort = f.length == SENT_SHORT;
        return new Sent(
                Long.parseLong(f[1]),
                f[2],
                f[3],
                f[4],
                f[5],
                orNull(f[6]),
                orNull(f[7]),
                f[8],
                Integer.parseInt(f[9]),
                Long.parseLong(f[10]),
                kind(f[11]),
                isShort ? null : orNull(f[12]),
                Boolean.parseBoolean(isShort ? f[12] : f[13]),
                f.length > SENT_FIELDS ? orNull(f[14]) : null);
    }

    private static ConsumeBegun begun(String[] f) {
        return new ConsumeBegun(
                Long.parseLong(f[1]),
                f[2],
                f[3],
                f[4],
                f[5],
                Integer.parseInt(f[6]),
                f.length > 7 ? orNull(f[7]) : null);
    }

    private static ConsumeEnded ended(String[] f) {
        boolean isSuccess = Boolean.parseBoolean(f[4]);
        return new ConsumeEnded(
                f[1],
                f[2],
                Long.parseLong(f[3]),
                isSuccess,
                f.length > 5 ? orNull(f[5]) : null,
                f.length > 6 ? ending(f[6]) : isSuccess ? Ending.SUCCESS : Ending.FAILED,
                f.length > 8 ? Long.parseLong(f[7]) : 0,
                f.length > 8 ? orNull(f[8]) : null);
    }

    private static TransactionEnded transactionEnded(String[] f) {
        return new TransactionEnded(
                Long.parseLong(f[1]),
                f[2],
                f[3],
                f[4],
                f[5],
                orNull(f[6]),
                orNull(f[7]),
                f[8],
                kind(f[9]),
                f[10],
                f[11],
                Boolean.parseBoolean(f[12]));
    }

    private static Recalled recalled(String[] f) {
        return new Recalled(Long.parseLong(f[1]), f[2], f[3], f[4], f[5], Boolean.parseBoolean(f[6]));
    }

    private static @Nullable String orNull(String field) {
        return field.isEmpty() || field.equals(NULL) ? null : field;
    }

    /**
     * A kind that only a later client knows is a message like any other.
     *
     * @throws NumberFormatException for what is no number
     */
    private static Kind kind(String text) {
        int number = Integer.parseInt(text);
        for (Kind kind : Kind.values()) {
            if (number == kind.number()) {
                return kind;
            }
        }
        return Kind.NORMAL;
    }

    /** @throws NumberFormatException for any other text */
    private static Ending ending(String number) {
        for (Ending ending : Ending.values()) {
            if (number.equals(Integer.toString(ending.number()))) {
                return ending;
            }
        }
        throw new NumberFormatException(number + " is no ending");
    }
}

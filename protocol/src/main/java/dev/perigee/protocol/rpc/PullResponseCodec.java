package dev.perigee.protocol.rpc;

import dev.perigee.protocol.frame.BadFieldException;
import dev.perigee.protocol.frame.FieldCursor;
import dev.perigee.protocol.frame.FieldSink;
import dev.perigee.protocol.frame.KeyTable;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import org.jspecify.annotations.Nullable;

/** The answer header of a pull, written by hand because it goes with every batch of messages. */
final class PullResponseCodec implements HeaderCodec<PullMessageResponse> {
    static final PullResponseCodec INSTANCE = new PullResponseCodec();

    private static final KeyTable KEYS = KeyTable.of(
            "suggestWhichBrokerId",
            "nextBeginOffset",
            "minOffset",
            "maxOffset",
            "offsetDelta",
            "topicSysFlag",
            "groupSysFlag",
            "forbiddenType");
    /** The fields up to maxOffset. */
    private static final int MANDATORY = 0xF;

    private PullResponseCodec() {}

    @Override
    public PullMessageResponse decode(FieldCursor cursor) throws BadFieldException {
        long[] numbers = new long[KEYS.size()];
        int seen = FieldReader.readAll(
                cursor,
                KEYS,
                MANDATORY,
                (index, field) -> numbers[index] = index <= 4 ? field.longValue() : field.intValue());
        return new PullMessageResponse(
                numbers[0],
                numbers[1],
                numbers[2],
                numbers[3],
                (seen & 1 << 4) == 0 ? null : numbers[4],
                optionalInt(numbers, seen, 5),
                optionalInt(numbers, seen, 6),
                optionalInt(numbers, seen, 7));
    }

    @Override
    public void encode(PullMessageResponse header, FieldSink out) {
        out.number("suggestWhichBrokerId", header.suggestWhichBrokerId());
        out.number("nextBeginOffset", header.nextBeginOffset());
        out.number("minOffset", header.minOffset());
        out.number("maxOffset", header.maxOffset());
        optional("offsetDelta", header.offsetDelta(), out);
        optional("topicSysFlag", header.topicSysFlag(), out);
        optional("groupSysFlag", header.groupSysFlag(), out);
        optional("forbiddenType", header.forbiddenType(), out);
    }

    private static @Nullable Integer optionalInt(long[] numbers, int seen, int index) {
        return (seen & 1 << index) == 0 ? null : (int) numbers[index];
    }

    private static void optional(String name, @Nullable Number value, FieldSink out) {
        if (value != null) {
            out.number(name, value.longValue());
        }
    }
}

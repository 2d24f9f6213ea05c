package dev.perigee.protocol.rpc;

import dev.perigee.protocol.frame.BadFieldException;
import dev.perigee.protocol.frame.FieldCursor;
import dev.perigee.protocol.frame.FieldSink;
import dev.perigee.protocol.frame.KeyTable;
import dev.perigee.protocol.header.send.SendMessageResponse;
import org.jspecify.annotations.Nullable;

/** The answer header of a send, written by hand because every message passes here. */
final class SendResponseCodec implements HeaderCodec<SendMessageResponse> {
    static final SendResponseCodec INSTANCE = new SendResponseCodec();

    private static final KeyTable KEYS = KeyTable.of(
            "msgId",
            "queueId",
            "queueOffset",
            "transactionId",
            "batchUniqId",
            "recallHandle",
            "MSG_REGION",
            "TRACE_ON");
    /** The places of queueId and queueOffset. */
    private static final int NUMBERS = 0b110;

    private SendResponseCodec() {}

    @Override
    public SendMessageResponse decode(FieldCursor cursor) throws BadFieldException {
        @Nullable String[] texts = new @Nullable String[KEYS.size()];
        int queueId = 0;
        long queueOffset = 0;
        int seen = 0;
        while (cursor.next()) {
            int index = cursor.key(KEYS);
            switch (index) {
                case KeyTable.UNKNOWN -> cursor.skip();
                case 1 -> queueId = cursor.intValue();
                case 2 -> queueOffset = cursor.longValue();
                default -> texts[index] = cursor.text();
            }
            seen |= index == KeyTable.UNKNOWN ? 0 : 1 << index;
        }
        if (texts[0] != null && (seen & NUMBERS) != NUMBERS) {
            throw BadFieldException.missing((seen & 2) == 0 ? "queueId" : "queueOffset");
        }
        return new SendMessageResponse(
                texts[0], queueId, queueOffset, texts[3], texts[4], texts[5], texts[6], texts[7]);
    }

    @Override
    public void encode(SendMessageResponse header, FieldSink out) {
        if (header.msgId() != null) {
            out.text("msgId", header.msgId());
            out.number("queueId", header.queueId());
            out.number("queueOffset", header.queueOffset());
            out.text("transactionId", header.transactionId());
            out.text("batchUniqId", header.batchUniqId());
            out.text("recallHandle", header.recallHandle());
        }
        out.text("MSG_REGION", header.region());
        out.text("TRACE_ON", header.traceOn());
    }
}

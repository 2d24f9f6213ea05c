package dev.perigee.protocol.rpc;

import dev.perigee.protocol.frame.BadFieldException;
import dev.perigee.protocol.frame.FieldCursor;
import dev.perigee.protocol.frame.FieldSink;
import dev.perigee.protocol.frame.KeyTable;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.property.PropertyText;
import org.jspecify.annotations.Nullable;

/** The short-named header of SEND_MESSAGE_V2 and SEND_BATCH_MESSAGE, written by hand because every message passes here. */
final class SendMessageCodec implements HeaderCodec<SendMessageHeader> {
    static final SendMessageCodec INSTANCE = new SendMessageCodec();

    private static final KeyTable KEYS =
            KeyTable.of("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n");
    /** The fields a to h. */
    private static final int MANDATORY = 0xFF;

    private SendMessageCodec() {}

    @Override
    public SendMessageHeader decode(FieldCursor cursor) throws BadFieldException {
        Fields fields = new Fields();
        FieldReader.readAll(cursor, KEYS, MANDATORY, fields);
        return fields.toHeader();
    }

    @Override
    public void encode(SendMessageHeader header, FieldSink out) {
        out.text("a", header.producerGroup());
        out.text("b", header.topic());
        out.text("c", header.defaultTopic());
        out.number("d", header.defaultTopicQueueNums());
        out.number("e", header.queueId());
        out.number("f", header.sysFlag());
        out.number("g", header.bornTimestamp());
        out.number("h", header.flag());
        PropertyText properties = header.properties();
        if (properties != null) {
            out.utf8("i", properties.toByteArray());
        }
        out.number("j", header.reconsumeTimes());
        out.flag("k", header.unitMode());
        if (header.maxReconsumeTimes() >= 0) {
            out.number("l", header.maxReconsumeTimes());
        }
        out.flag("m", header.batch());
        out.text("n", header.brokerName());
    }

    /** The values met so far in one decoding. */
    private static final class Fields implements FieldReader {
        private String producerGroup = "";
        private String topic = "";
        private String defaultTopic = "";
        private int defaultTopicQueueNums;
        private int queueId;
        private int sysFlag;
        private long bornTimestamp;
        private int flag;
        private @Nullable PropertyText properties;
        private int reconsumeTimes;
        private boolean unitMode;
        private int maxReconsumeTimes = -1;
        private boolean batch;
        private @Nullable String brokerName;

        @Override
        public void read(int index, FieldCursor cursor) throws BadFieldException {
            switch (index) {
                case 0 -> producerGroup = cursor.text();
                case 1 -> topic = cursor.text();
                case 2 -> defaultTopic = cursor.text();
                case 3 -> defaultTopicQueueNums = cursor.intValue();
                case 4 -> queueId = cursor.intValue();
                case 5 -> sysFlag = cursor.intValue();
                case 6 -> bornTimestamp = cursor.longValue();
                case 7 -> flag = cursor.intValue();
                case 8 -> properties = PropertyText.ofUtf8(cursor.utf8());
                case 9 -> reconsumeTimes = cursor.intValue();
                case 10 -> unitMode = cursor.booleanValue();
                case 11 -> maxReconsumeTimes = cursor.intValue();
                case 12 -> batch = cursor.booleanValue();
                default -> brokerName = cursor.text();
            }
        }

        SendMessageHeader toHeader() {
            return new SendMessageHeader(
                    producerGroup,
                    topic,
                    defaultTopic,
                    defaultTopicQueueNums,
                    queueId,
                    sysFlag,
                    bornTimestamp,
                    flag,
                    properties,
                    reconsumeTimes,
                    unitMode,
                    maxReconsumeTimes,
                    batch,
                    brokerName);
        }
    }
}

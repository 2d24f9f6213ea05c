package dev.perigee.protocol.rpc;

import dev.perigee.protocol.frame.BadFieldException;
import dev.perigee.protocol.frame.FieldCursor;
import dev.perigee.protocol.frame.FieldSink;
import dev.perigee.protocol.frame.KeyTable;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import org.jspecify.annotations.Nullable;

/** The header of a pull, written by hand because it comes with every batch of messages. */
final class PullMessageCodec implements HeaderCodec<PullMessageHeader> {
    static final PullMessageCodec INSTANCE = new PullMessageCodec();

    private static final KeyTable KEYS = KeyTable.of(
            "consumerGroup",
            "topic",
            "queueId",
            "queueOffset",
            "maxMsgNums",
            "sysFlag",
            "commitOffset",
            "suspendTimeoutMillis",
            "subVersion",
            "subscription",
            "expressionType",
            "maxMsgBytes",
            "requestSource",
            "proxyFrowardClientId",
            "bname");
    /** The fields up to subVersion. */
    private static final int MANDATORY = 0x1FF;

    private PullMessageCodec() {}

    @Override
    public PullMessageHeader decode(FieldCursor cursor) throws BadFieldException {
        Fields fields = new Fields();
        FieldReader.readAll(cursor, KEYS, MANDATORY, fields);
        return fields.toHeader();
    }

    @Override
    public void encode(PullMessageHeader header, FieldSink out) {
        out.text("consumerGroup", header.consumerGroup());
        out.text("topic", header.topic());
        out.number("queueId", header.queueId());
        out.number("queueOffset", header.queueOffset());
        out.number("maxMsgNums", header.maxMsgNums());
        out.number("sysFlag", header.sysFlag());
        out.number("commitOffset", header.commitOffset());
        out.number("suspendTimeoutMillis", header.suspendTimeoutMillis());
        out.text("subscription", header.subscription());
        out.number("subVersion", header.subVersion());
        out.text("expressionType", header.expressionType());
        if (header.maxMsgBytes() > 0) {
            out.number("maxMsgBytes", header.maxMsgBytes());
        }
        out.number("requestSource", header.requestSource());
        out.text("proxyFrowardClientId", header.proxyClientId());
        out.text("bname", header.brokerName());
    }

    /** The values met so far in one decoding. */
    private static final class Fields implements FieldReader {
        private String consumerGroup = "";
        private String topic = "";
        private int queueId;
        private long queueOffset;
        private int maxMsgNums;
        private int sysFlag;
        private long commitOffset;
        private long suspendTimeoutMillis;
        private @Nullable String subscription;
        private long subVersion;
        private @Nullable String expressionType;
        private int maxMsgBytes;
        private int requestSource;
        private @Nullable String proxyClientId;
        private @Nullable String brokerName;

        @Override
        public void read(int index, FieldCursor cursor) throws BadFieldException {
            switch (index) {
                case 0 -> consumerGroup = cursor.text();
                case 1 -> topic = cursor.text();
                case 2 -> queueId = cursor.intValue();
                case 3 -> queueOffset = cursor.longValue();
                case 4 -> maxMsgNums = cursor.intValue();
                case 5 -> sysFlag = cursor.intValue();
                case 6 -> commitOffset = cursor.longValue();
                case 7 -> suspendTimeoutMillis = cursor.longValue();
                case 8 -> subVersion = cursor.longValue();
                case 9 -> subscription = cursor.text();
                case 10 -> expressionType = cursor.text();
                case 11 -> maxMsgBytes = cursor.intValue();
                case 12 -> requestSource = cursor.intValue();
                case 13 -> proxyClientId = cursor.text();
                default -> brokerName = cursor.text();
            }
        }

        PullMessageHeader toHeader() {
            return new PullMessageHeader(
                    consumerGroup,
                    topic,
                    queueId,
                    queueOffset,
                    maxMsgNums,
                    sysFlag,
                    commitOffset,
                    suspendTimeoutMillis,
                    subscription,
                    subVersion,
                    expressionType,
                    maxMsgBytes,
                    requestSource,
                    proxyClientId,
                    brokerName);
        }
    }
}

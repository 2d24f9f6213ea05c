package dev.perigee.broker.send;

import dev.perigee.broker.check.Admission;
import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.config.LiveSettings;
import dev.perigee.broker.config.SendSettings;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.message.CompressionType;
import dev.perigee.protocol.message.FrameStamp;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.MessageProperties;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.Permission;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicName;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** The checks of a send, in the order of broker-client §1.1. Each gives null or a refusal that names field and limit. */
@Immutable
final class SendChecks {
    private static final int SUPPORTED_FLAGS = SysFlag.COMPRESSED
            | SysFlag.TRANSACTION_PREPARED
            | SysFlag.MULTI_TAGS
            | SysFlag.COMPRESSION_MASK
            | SysFlag.BORN_HOST_V6
            | SysFlag.STORE_HOST_V6;

    private static final int MAX_NAMED = 64; // characters of a property name repeated in a refusal

    private final SendSettings settings;
    private final Admission admission;
    private final Clock clock;

    SendChecks(SendSettings settings, Admission admission, Clock clock) {
        this.settings = settings;
        this.admission = admission;
        this.clock = clock;
    }

    /** Everything that can be said before the topic is known. */
    @Nullable
    Refusal beforeTopic(Send send, LiveSettings live, @Nullable TopicConfig known) {
        long overdueMs = admission.overdueSendMs(send.request().arrivedMs());
        if (overdueMs > 0) {
            return new Refusal(ResponseCode.SYSTEM_BUSY, admission.overdueSendText(overdueMs));
        }
        if (live.acceptSendsFromMs() > 0 && clock.wallMs() < live.acceptSendsFromMs()) {
            return new Refusal(
                    ResponseCode.SYSTEM_ERROR,
                    "broker unable to service, until startAcceptSendRequestTimeStamp " + live.acceptSendsFromMs());
        }
        if (!live.writable() && known != null && known.order()) {
            return new Refusal(
                    ResponseCode.NO_PERMISSION,
                    "the broker's brokerPermission " + live.permission() + " forbids sending to the ordered topic["
                            + known.topicName() + "]");
        }
        if (known != null && !SystemTopic.isForbiddenToSend(known.topicName())) {
            return null; // a known topic has a sound name
        }
        String topic = send.header().topic();
        String wrong = TopicName.problem(topic);
        if (wrong != null) { // of a batch an over-long name is a fault of the message (broker-client §1.3)
            boolean tooLong = send.isBatch() && topic.length() > TopicName.MAX_LENGTH;
            return new Refusal(tooLong ? ResponseCode.MESSAGE_ILLEGAL : ResponseCode.INVALID_PARAMETER, wrong);
        }
        if (SystemTopic.isForbiddenToSend(topic)) {
            return new Refusal(ResponseCode.NO_PERMISSION, "Sending message to topic[" + topic + "] is forbidden.");
        }
        return null;
    }

    /** Everything about a topic that is not there yet: what {@link #againstTopic} says of it, and whether it may be made. */
    @Nullable
    Refusal againstPlan(SendMessageHeader header, TopicConfig plan) {
        if (plan.writeQueueNums() > 0) {
            return againstTopic(header, plan);
        }
        String why = header.defaultTopicQueueNums() < 1
                ? "defaultTopicQueueNums " + header.defaultTopicQueueNums() + " is below 1"
                : "its defaultTopic[" + header.defaultTopic() + "] has 0 write queues, at least 1 is needed";
        return new Refusal(ResponseCode.INVALID_PARAMETER, "topic[" + plan.topicName() + "] is not created: " + why);
    }

    /** Everything about the topic's configuration. */
    @Nullable
    Refusal againstTopic(SendMessageHeader header, TopicConfig topic) {
        int queues = Math.max(topic.readQueueNums(), topic.writeQueueNums());
        if (header.queueId() >= queues || (header.queueId() < 0 && topic.writeQueueNums() < 1)) {
            return new Refusal(
                    ResponseCode.INVALID_PARAMETER,
                    "request queueId[" + header.queueId() + "] is illegal, topic[" + topic.topicName() + "] has "
                            + queues + " queues (0 to " + (queues - 1) + ")");
        }
        if (!Permission.isWritable(topic.perm())) {
            return new Refusal(
                    ResponseCode.NO_PERMISSION,
                    "the topic[" + topic.topicName() + "] sending message is forbidden: perm "
                            + Permission.text(topic.perm()));
        }
        return null;
    }

    /** Everything about flags and the size of the whole body. */
    @Nullable
    Refusal content(SendMessageHeader header, int bodyBytes, boolean batch) {
        if (bodyBytes > settings.maxBodyBytes()) {
            return illegal("the message body is of " + bodyBytes + " bytes, limit " + settings.maxBodyBytes());
        }
        int transaction = SysFlag.transaction(header.sysFlag());
        if (transaction != 0 && (batch || transaction != SysFlag.TRANSACTION_PREPARED)) {
            return illegal("sysFlag " + header.sysFlag() + ": of the transaction bits "
                    + (batch ? "none may be set in a batch" : "only " + SysFlag.TRANSACTION_PREPARED + " may be set"));
        }
        if ((header.sysFlag() & ~SUPPORTED_FLAGS) != 0) {
            return illegal("sysFlag " + header.sysFlag() + " has unsupported bits, supported are " + SUPPORTED_FLAGS);
        }
        if (CompressionType.of(header.sysFlag()) == null) { // no consumer could ever open the body
            return illegal("sysFlag " + header.sysFlag() + " names compression type "
                    + (header.sysFlag() & SysFlag.COMPRESSION_MASK) / CompressionType.LZ4.flag()
                    + ", known are 0 to 3 (0 and 3 zlib, 1 LZ4, 2 zstd)");
        }
        if (header.reconsumeTimes() < 0) {
            return illegal("reconsumeTimes " + header.reconsumeTimes() + " is below 0");
        }
        if (batch && header.topic().startsWith(TopicName.RETRY_PREFIX)) {
            return illegal("a batch cannot go to the retry topic[" + header.topic() + "]");
        }
        return null;
    }

    /** What the properties of one message ask for that is not built yet, or too much of. */
    @Nullable
    Refusal properties(SendProperties properties) {
        if (properties.keys() > SendProperties.MAX_KEYS) {
            return illegal("property " + PropertyKey.KEYS + " has " + properties.keys() + " keys, limit "
                    + SendProperties.MAX_KEYS);
        }
        return null;
    }

    /** As above, for an entry of a batch or the batch itself, which cannot wait either. */
    @Nullable
    Refusal batch(SendProperties properties) {
        if (properties.half()) {
            return illegal("property " + PropertyKey.TRANSACTION_PREPARED
                    + "=true: a batch entry cannot be half of a transaction");
        }
        String asked = properties.hasWish() ? properties.wish().asked() : null;
        return asked == null
                ? properties(properties)
                : illegal("property " + asked + ": a batch entry cannot be delayed");
    }

    /**
     * Whether the properties of a frame, stamp included, are short enough. This is also the limit of every single one of
     * them.
     */
    static @Nullable Refusal propertiesSize(int storedBytes, PropertyText given) {
        if (storedBytes <= MessageProperties.MAX_BYTES) {
            return null;
        }
        return illegal("the properties are of " + storedBytes + " bytes with those the broker adds (" + FrameStamp.BYTES
                + " of them the stamp), limit " + MessageProperties.MAX_BYTES + longest(given));
    }

    private static String longest(PropertyText given) {
        return given.toMap().entrySet().stream()
                .max(Comparator.comparingInt(pair -> pair.getValue().length()))
                .map(pair -> "; the longest is "
                        + (pair.getKey().length() > MAX_NAMED
                                ? pair.getKey().substring(0, MAX_NAMED) + "…"
                                : pair.getKey())
                        + " with " + pair.getValue().length() + " characters")
                .orElse("");
    }

    static Refusal illegal(String remark) {
        return new Refusal(ResponseCode.MESSAGE_ILLEGAL, remark);
    }
}

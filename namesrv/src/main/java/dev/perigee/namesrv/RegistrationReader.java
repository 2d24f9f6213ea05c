package dev.perigee.namesrv;

import dev.perigee.namesrv.route.BrokerIdentity;
import dev.perigee.namesrv.route.QueueSetting;
import dev.perigee.namesrv.route.Registration;
import dev.perigee.namesrv.route.Registration.ActingMaster;
import dev.perigee.namesrv.route.Registration.Extent;
import dev.perigee.protocol.header.route.RegisterBrokerHeader;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.RegisterBrokerBody;
import dev.perigee.protocol.route.RegisterBrokerBodyCodec;
import dev.perigee.protocol.topic.DataVersion;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicConfigTable;
import dev.perigee.remoting.Request;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/** Turns a REGISTER_BROKER request into a {@link Registration}. Pure. */
final class RegistrationReader {
    private static final int CRC_MASK = 0x7FFF_FFFF;

    private RegistrationReader() {}

    /** The request cannot be taken; the text says why. */
    static final class UnreadableException extends Exception {
        private static final long serialVersionUID = 1L;

        UnreadableException(String reason) {
            super(reason);
        }

        UnreadableException(String reason, Throwable cause) {
            super(reason, cause);
        }
    }

    static Registration read(Request<RegisterBrokerHeader> request) throws UnreadableException {
        RegisterBrokerHeader header = request.header();
        byte[] body = request.copyBody();
        checkSum(header.bodyCrc32(), body);
        TopicConfigTable topics = body(header.compressed(), body).topicConfigSerializeWrapper();
        Long timeoutMs = header.heartbeatTimeoutMillis();
        String zone = header.zoneName();
        return new Registration(
                new BrokerIdentity(header.clusterName(), header.brokerName(), header.brokerId(), header.brokerAddr()),
                header.haServerAddr(),
                timeoutMs == null ? NameServerConfig.BROKER_TIMEOUT_MS : timeoutMs,
                actingMaster(header),
                topics.dataVersion(),
                queues(topics),
                Boolean.TRUE.equals(header.completeTable()) ? Extent.COMPLETE : Extent.UNSAID,
                zone == null ? "" : zone,
                request.from());
    }

    private static void checkSum(int expected, byte[] body) throws UnreadableException {
        if (expected == 0) {
            return;
        }
        CRC32 crc = new CRC32();
        crc.update(body);
        int actual = (int) crc.getValue() & CRC_MASK;
        if (actual != expected) {
            throw new UnreadableException("crc32 not match: body has " + actual + ", header says " + expected);
        }
    }

    private static RegisterBrokerBody body(boolean compressed, byte[] body) throws UnreadableException {
        if (body.length == 0) {
            return new RegisterBrokerBody(TopicConfigTable.of(Map.of(), DataVersion.NONE), List.of());
        }
        try {
            return compressed ? RegisterBrokerBodyCodec.decode(body) : Json.read(body, RegisterBrokerBody.class);
        } catch (BadBodyException e) {
            throw new UnreadableException("the body of the registration cannot be read: " + e.getMessage(), e);
        }
    }

    private static ActingMaster actingMaster(RegisterBrokerHeader header) {
        Boolean enabled = header.enableActingMaster();
        if (enabled == null) {
            return ActingMaster.UNKNOWN;
        }
        return enabled ? ActingMaster.ON : ActingMaster.OFF;
    }

    private static Map<String, QueueSetting> queues(TopicConfigTable topics) throws UnreadableException {
        Map<String, QueueSetting> queues = new HashMap<>();
        for (Map.Entry<String, TopicConfig> entry : topics.topicConfigTable().entrySet()) {
            TopicConfig config = entry.getValue();
            if (config == null || entry.getKey().isBlank()) {
                throw new UnreadableException(
                        "the body of the registration has no configuration for topic '" + entry.getKey() + "'");
            }
            queues.put(
                    entry.getKey(),
                    new QueueSetting(
                            config.readQueueNums(), config.writeQueueNums(), config.perm(), config.topicSysFlag()));
        }
        return queues;
    }
}

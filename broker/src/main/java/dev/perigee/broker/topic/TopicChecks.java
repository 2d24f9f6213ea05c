package dev.perigee.broker.topic;

import dev.perigee.broker.check.Bodies;
import dev.perigee.broker.check.Refusal;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.Permission;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicName;
import org.jspecify.annotations.Nullable;

/** Whether a tool may give a topic this name and this shape. */
@Immutable
final class TopicChecks {
    /** Most queues of one topic on one broker. */
    static final int MAX_QUEUES = 16_384;

    private final SystemTopics system;

    TopicChecks(SystemTopics system) {
        this.system = system;
    }

    /** Null when the name is one a tool may use. */
    @Nullable
    Refusal refuseName(String topic) {
        String wrong = TopicName.problem(topic);
        if (wrong != null) {
            return new Refusal(ResponseCode.INVALID_PARAMETER, wrong);
        }
        if (system.isSystem(topic)) {
            return new Refusal(
                    ResponseCode.INVALID_PARAMETER,
                    "The topic[" + topic + "] is conflict with system topic: it belongs to the broker.");
        }
        return null;
    }

    /** Null when name and numbers are in order. */
    @Nullable
    Refusal refuse(@Nullable TopicConfig config) {
        if (config == null || Bodies.isBlank(config.topicName())) {
            return new Refusal(ResponseCode.INVALID_PARAMETER, "a topic has no topicName");
        }
        Refusal name = refuseName(config.topicName());
        if (name != null) {
            return name;
        }
        Refusal reads = refuseQueues("readQueueNums", config.readQueueNums());
        if (reads != null) {
            return reads;
        }
        if (!Permission.isValid(config.perm())) {
            return new Refusal(ResponseCode.INVALID_PARAMETER, "perm " + config.perm() + " is not between 0 and 7");
        }
        Refusal writes = refuseQueues("writeQueueNums", config.writeQueueNums());
        return writes != null || config.readQueueNums() > 0 || config.writeQueueNums() > 0
                ? writes
                : new Refusal(
                        ResponseCode.INVALID_PARAMETER,
                        "readQueueNums 0 and writeQueueNums 0: topic[" + config.topicName()
                                + "] would have no queue, at least one of them is 1 or more");
    }

    private static @Nullable Refusal refuseQueues(String field, int queues) {
        return queues >= 0 && queues <= MAX_QUEUES
                ? null
                : new Refusal(
                        ResponseCode.INVALID_PARAMETER, field + " " + queues + " is not between 0 and " + MAX_QUEUES);
    }
}

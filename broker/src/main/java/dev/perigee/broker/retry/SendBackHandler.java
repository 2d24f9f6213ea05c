package dev.perigee.broker.retry;

import dev.perigee.broker.check.Appends;
import dev.perigee.broker.check.ColdAnswer;
import dev.perigee.broker.config.LiveConfig;
import dev.perigee.broker.fact.WaitingReply;
import dev.perigee.broker.fact.WaitingRequests;
import dev.perigee.broker.group.GroupCreation;
import dev.perigee.broker.query.FrameLookup;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.broker.timer.DueTime;
import dev.perigee.broker.timer.DueTimes;
import dev.perigee.broker.timer.WaitingFrames;
import dev.perigee.broker.topic.TopicCreation;
import dev.perigee.broker.view.GroupView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.send.SendBackHeader;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.property.MessageProperties;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.Permission;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicName;
import dev.perigee.protocol.topic.TopicSysFlag;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.log.SegmentLease;
import dev.perigee.store.view.ColdReaders;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Answers CONSUMER_SEND_MSG_BACK (36): a message whose consumption failed waits and comes again, or goes to the dead letters
 * of its group. The steps are those of broker-client §5.1. Answered when the copy is appended, for it says WAIT=false: what the consumer
 * commits on that answer lies behind it in the log, so a loss of power takes the commit with the copy. The
 * message is read on the event loop when it is in memory, else on a cold reader, and refused as busy when too many wait there.
 */
@ThreadSafe
public final class SendBackHandler implements RequestHandler<SendBackHeader, NoHeader> {
    /**
     * What it works with.
     *
     * @param groups which groups there are
     * @param topics which topics there are
     * @param retryTopics makes the retry topic of a group when it is missing
     * @param creation makes the topic of a group's dead letters when it is missing
     * @param waiting the limit of requests that wait for that
     * @param frames reads the message
     * @param cold where it is read when it is not in memory
     * @param sink takes the copy
     * @param stats counts
     * @param waitsForCopies whether the copy is answered only when it is confirmed: its consumer may go on at a replica, which knows of
     *     the message's end by the commit there and must know of the copy before that
     * @param random a number from 0 below its argument
     */
    public record Parts(
            GroupView groups,
            TopicView topics,
            GroupCreation retryTopics,
            TopicCreation creation,
            WaitingRequests waiting,
            FrameLookup frames,
            ColdReaders cold,
            FactSink sink,
            BrokerStats stats,
            boolean waitsForCopies,
            IntUnaryOperator random) {}

    private final Parts parts;
    private final LiveConfig live;
    private final RetryFrames copies;

    /** See {@link Parts}. */
    public SendBackHandler(Parts parts, LiveConfig live, DueTimes times) {
        this.parts = parts;
        this.live = live;
        this.copies = new RetryFrames(times);
    }

    @Override
    public void handle(Request<SendBackHeader> request, Reply<NoHeader> reply) {
        String name = request.header().group();
        SubscriptionGroupConfig group = parts.groups().current().find(name);
        if (group == null) {
            reply.fail(ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST, "subscription group [" + name + "] does not exist");
        } else if (!live.settings().writable()) {
            reply.fail(
                    ResponseCode.NO_PERMISSION,
                    "the broker's brokerPermission " + live.settings().permission() + " forbids sending");
        } else if (group.retryQueueNums() <= 0) {
            reply.ok(NoHeader.NONE);
        } else {
            SendBack back = SendBack.of(request, group, reply);
            withTopic(
                    back,
                    TopicName.retry(name),
                    done -> parts.retryTopics()
                            .makeRetryTopic(
                                    name,
                                    TopicSysFlag.ofRetryTopic(request.header().unitMode()),
                                    done),
                    retryTopic -> back(back, retryTopic));
        }
    }

    /** What is done once a topic is there. */
    private interface Step {
        void with(TopicConfig topic);
    }

    /** How a topic is made. */
    private interface Making {
        void make(Consumer<AppendResult> done);
    }

    /** Goes on, at once or on the event loop, when the topic is there and may be written to. */
    private void withTopic(SendBack back, String topic, Making making, Step then) {
        TopicConfig there = parts.topics().current().find(topic);
        if (there != null) {
            go(back, there, then);
            return;
        }
        WaitingReply<NoHeader> held = parts.waiting().hold(back.reply(), "topic [" + topic + "] to be made");
        making.make(result -> held.resume(() -> {
            if (held.finish()) {
                made(back, topic, result, then);
            }
        }));
    }

    private void made(SendBack back, String name, AppendResult result, Step then) {
        TopicConfig topic = parts.topics().current().find(name);
        if (result == AppendResult.APPENDED && topic != null) {
            go(back, topic, then);
        } else {
            Appends.refusal(result == AppendResult.APPENDED ? AppendResult.TOPIC_DELETED : result)
                    .answer(back.reply());
        }
    }

    private static void go(SendBack back, TopicConfig topic, Step then) {
        if (Permission.isWritable(topic.perm()) && topic.writeQueueNums() > 0) {
            then.with(topic);
        } else {
            back.reply()
                    .fail(
                            ResponseCode.NO_PERMISSION,
                            "the topic[" + topic.topicName() + "] sending message is forbidden: perm "
                                    + Permission.text(topic.perm()) + ", " + topic.writeQueueNums() + " write queues");
        }
    }

    private void back(SendBack back, TopicConfig retryTopic) {
        read(back, frame -> {
            if (!back.isDeadLetter(frame.reconsumeTimes())) {
                retry(back, frame, retryTopic);
                return;
            }
            TopicConfig wanted = RetryTopics.deadLetters(back.group().groupName());
            TopicConfig there = parts.topics().current().find(wanted.topicName());
            if (there == null) { // the frame is read again, for it cannot be kept while the topic is made
                withTopic(
                        back,
                        wanted.topicName(),
                        done -> parts.creation().create(wanted, done),
                        made -> read(back, again -> bury(back, again, made)));
            } else {
                go(back, there, topic -> bury(back, frame, topic));
            }
        });
    }

    /** What is done with the message. */
    private interface Use {
        void of(MessageFrame frame);
    }

    private void read(SendBack back, Use use) {
        if (parts.frames().isLoaded(back.header().offset())) {
            back.reply().guard(() -> readNow(back, use));
        } else {
            ColdAnswer.give(parts.cold(), back.reply(), () -> readNow(back, use));
        }
    }

    private void readNow(SendBack back, Use use) {
        long offset = back.header().offset();
        SegmentLease lease = parts.frames().find(offset);
        if (lease == null) {
            unreadable(back);
            return;
        }
        try {
            MessageFrame frame = new MessageFrame().wrap(lease.bytes(), 0);
            if (isHidden(frame)) {
                unreadable(back);
            } else {
                use.of(frame);
            }
        } finally {
            lease.release();
        }
    }

    /** What no consumer can have been given. */
    private static boolean isHidden(MessageFrame frame) {
        return SystemTopic.hidden().stream().anyMatch(frame::hasTopic);
    }

    private static void unreadable(SendBack back) {
        back.reply()
                .fail(
                        ResponseCode.SYSTEM_ERROR,
                        "look message by offset failed, " + back.header().offset());
    }

    private void retry(SendBack back, MessageFrame frame, TopicConfig retryTopic) {
        int queues = Math.min(back.group().retryQueueNums(), retryTopic.writeQueueNums());
        DueTime.At due = copies.due(back, frame.reconsumeTimes());
        FrameDraft copy =
                copies.retry(frame, back, retryTopic.topicName(), parts.random().applyAsInt(queues), due);
        String topic = RetryFrames.userTopic(frame);
        append(
                back,
                WaitingFrames.topicOf(due),
                WaitingFrames.queueOf(due),
                copy,
                () -> parts.stats().sentBack(topic, back.group().groupName()));
    }

    private void bury(SendBack back, MessageFrame frame, TopicConfig deadLetters) {
        FrameDraft copy = copies.deadLetter(frame, back, deadLetters);
        String topic = RetryFrames.userTopic(frame);
        append(back, deadLetters.topicName(), 0, copy, () -> {
            parts.stats().sentBack(topic, back.group().groupName());
            parts.stats().deadLetter(topic, back.group().groupName());
        });
    }

    private void append(SendBack back, String topic, int queueId, @Nullable FrameDraft copy, Runnable stored) {
        if (copy == null) {
            back.reply()
                    .fail(
                            ResponseCode.MESSAGE_ILLEGAL,
                            "the properties of the message at " + back.header().offset()
                                    + " are too long with those of a retry, limit " + MessageProperties.MAX_BYTES);
            return;
        }
        boolean waits = parts.waitsForCopies();
        parts.sink().append(topic, queueId, copy, FactSink.Room.ORDINARY, waits, (result, endOffset, queueOffset) -> {
            boolean late = waits && result == AppendResult.FLUSH_TIMEOUT; // stored here, as a late send is
            if (late || result == AppendResult.APPENDED) {
                stored.run();
            }
            Appends.answer(back.reply(), late ? AppendResult.APPENDED : result, NoHeader.NONE);
        });
    }
}

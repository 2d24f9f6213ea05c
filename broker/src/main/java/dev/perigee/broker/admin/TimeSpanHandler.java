package dev.perigee.broker.admin;

import dev.perigee.broker.check.Bodies;
import dev.perigee.broker.check.ColdAnswer;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.offset.OffsetCommits;
import dev.perigee.broker.offset.StoreTimes;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.group.ConsumeTimeSpanHeader;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.stats.ConsumeTimeSpan;
import dev.perigee.protocol.stats.QueueTimeSpan;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.store.queue.ConsumeQueue;
import dev.perigee.store.queue.ConsumeQueueView;
import dev.perigee.store.view.ColdReaders;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;

/** From when to when the messages of a topic are, and where in that time a group is: QUERY_CONSUME_TIME_SPAN (303). */
@ThreadSafe
public final class TimeSpanHandler implements RequestHandler<ConsumeTimeSpanHeader, NoHeader> {
    private static final long NO_TIME = -1;
    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern("yyyy-MM-dd'#'HH:mm:ss:SSS");

    private final TopicView topics;
    private final ConsumeQueueView queues;
    private final OffsetCommits commits;
    private final StoreTimes times;
    private final ColdReaders coldReaders;
    private final BrokerIdentity identity;
    private final Clock clock;

    public TimeSpanHandler(Progress.Sources from, ColdReaders coldReaders, BrokerIdentity identity, Clock clock) {
        this.topics = from.topics();
        this.queues = from.queues();
        this.commits = from.commits();
        this.times = from.times();
        this.coldReaders = coldReaders;
        this.identity = identity;
        this.clock = clock;
    }

    @Override
    public void handle(Request<ConsumeTimeSpanHeader> request, Reply<NoHeader> reply) {
        ConsumeTimeSpanHeader header = request.header();
        TopicConfig topic = topics.current().find(header.topic());
        if (topic == null) {
            reply.fail(ResponseCode.TOPIC_NOT_EXIST, "topic[" + header.topic() + "] not exist");
        } else {
            ColdAnswer.give(coldReaders, reply, () -> answer(topic, header.group(), reply));
        }
    }

    private void answer(TopicConfig topic, String group, Reply<NoHeader> reply) {
        List<QueueTimeSpan> spans = new ArrayList<>();
        for (int queueId = 0; queueId < topic.writeQueueNums(); queueId++) {
            spans.add(span(topic.topicName(), group, queueId));
        }
        reply.ok(NoHeader.NONE, Bodies.json(new ConsumeTimeSpan(spans)));
    }

    private QueueTimeSpan span(String topic, String group, int queueId) {
        ConsumeQueue queue = queues.find(topic, queueId);
        long consumed = commits.newest(group, topic, queueId);
        long first = queue == null ? NO_TIME : times.of(queue, queue.minOffset(), NO_TIME);
        long last = queue == null ? NO_TIME : times.of(queue, queue.maxOffset() - 1, NO_TIME);
        long position = queue == null || consumed < 1 ? first : times.of(queue, consumed - 1, first);
        long next = queue != null && Math.max(0, consumed) < queue.maxOffset()
                ? times.of(queue, Math.max(consumed, queue.minOffset()), NO_TIME)
                : NO_TIME;
        return new QueueTimeSpan(
                new MessageQueue(topic, identity.name(), queueId),
                first,
                last,
                position,
                next == NO_TIME ? 0 : Math.max(0, clock.wallMs() - next),
                text(first),
                text(last),
                text(position));
    }

    private static String text(long ms) {
        return ms == NO_TIME ? "" : FORMAT.format(Instant.ofEpochMilli(ms).atZone(ZoneId.systemDefault()));
    }
}

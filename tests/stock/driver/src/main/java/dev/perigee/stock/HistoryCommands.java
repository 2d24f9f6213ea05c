package dev.perigee.stock;

import com.alibaba.fastjson.JSONObject;
import dev.perigee.stock.history.Audit;
import dev.perigee.stock.history.GroupReader;
import dev.perigee.stock.history.HistoryFile;
import dev.perigee.stock.history.NumberedSenders;
import dev.perigee.stock.history.OffsetAsker;
import java.nio.file.Path;
import java.util.Map;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;

/**
 * One load at a time that writes down every operation: {@code history.begin} starts senders, a reader and one that asks for offsets, {@code history.count} tells how
 * many sends were acknowledged, {@code history.end} stops the senders and lets the reader reach the end, {@code history.audit} reads
 * all there is.
 */
@SuppressWarnings("deprecation")
final class HistoryCommands {
    private static final String AUDIT_GROUP = "history_audit";
    /** The client puts something of its own in the place of this. */
    private static final String ONE_OF_MANY = "DEFAULT";

    private static final long NEVER = 0;

    private final Producers producers;
    private Running running;

    HistoryCommands(Producers producers) {
        this.producers = producers;
    }

    void addTo(Map<String, Driver.Command> commands) {
        commands.put("history.begin", this::begin);
        commands.put("history.count", request -> Shapes.one("acknowledged", load().senders.acknowledged()));
        commands.put("history.end", this::end);
        commands.put("history.audit", this::audit);
    }

    private synchronized JSONObject begin(Request request) throws Exception {
        HistoryFile file = new HistoryFile(Path.of(request.text("file")));
        String topic = request.text("topic");
        NumberedSenders senders =
                new NumberedSenders(producers.of(request), topic, request.big("timeoutMs", 1_000), file);
        GroupReader reader = new GroupReader(
                () -> consumer(request, request.text("group"), ONE_OF_MANY), topic, request.big("reopenMs", 5_000), file);
        OffsetAsker asker = new OffsetAsker(
                consumer(request, request.text("group"), "asker"), topic, request.big("askMs", NEVER), file);
        running = new Running(topic, file, senders, reader, asker);
        reader.start();
        if (request.big("askMs", NEVER) != NEVER) {
            asker.start();
        }
        senders.start(request.number("senders", 8), request.number("perSecond", 500));
        return Shapes.none();
    }

    private static DefaultMQPullConsumer consumer(Request request, String group, String instance) throws Exception {
        DefaultMQPullConsumer consumer = new DefaultMQPullConsumer(group);
        consumer.setInstanceName(instance);
        consumer.setNamesrvAddr(request.text("namesrv"));
        Settings.apply(request, consumer);
        consumer.start();
        return consumer;
    }

    private JSONObject end(Request request) throws Exception {
        Running load = load();
        load.senders.stop();
        boolean readAll = load.reader.end(request.big("patienceMs", 60_000));
        load.asker.stop();
        load.file.flush();
        JSONObject shape = Shapes.one("acknowledged", load.senders.acknowledged());
        shape.put("readAll", readAll);
        return shape;
    }

    private JSONObject audit(Request request) throws Exception {
        Running load = load();
        DefaultMQPullConsumer consumer = consumer(request, AUDIT_GROUP, ONE_OF_MANY);
        try {
            return Shapes.one(
                    "stored", new Audit(consumer, load.file, request.big("patienceMs", 60_000)).read(load.topic));
        } finally {
            consumer.shutdown();
            load.file.flush();
        }
    }

    private synchronized Running load() {
        if (running == null) {
            throw new IllegalStateException("no load has begun");
        }
        return running;
    }

    private static final class Running {
        private final String topic;
        private final HistoryFile file;
        private final NumberedSenders senders;
        private final GroupReader reader;
        private final OffsetAsker asker;

        Running(
                String topic,
                HistoryFile file,
                NumberedSenders senders,
                GroupReader reader,
                OffsetAsker asker) {
            this.topic = topic;
            this.file = file;
            this.senders = senders;
            this.reader = reader;
            this.asker = asker;
        }
    }
}

package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.harness.Received;
import dev.perigee.harness.Sent;
import dev.perigee.harness.StockAdmin;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.StockProducer;
import dev.perigee.harness.StockPuller;
import dev.perigee.harness.Target;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.topic.TopicConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One message of each kind that lies in a topic of the broker's for a while, in two states: still there, and delivered. Each has a topic and
 * a key of its own, named alike on every cluster; a stock producer sent them.
 */
final class WaitingMessages implements AutoCloseable {
    private static final String LEVELS = "SCHEDULE_TOPIC_XXXX";
    private static final String TIMES = "rmq_sys_wheel_timer";
    private static final String HALVES = "RMQ_SYS_TRANS_HALF_TOPIC";
    private static final String SECONDS_IMMUNE = "CHECK_IMMUNITY_TIME_IN_SECONDS";

    /** The kinds, the topic that each waits in, and whether it is delivered at once. */
    private enum Kind {
        LEVEL_WAITING(LEVELS, false),
        LEVEL_DELIVERED(LEVELS, true),
        TIME_WAITING(TIMES, false),
        TIME_DELIVERED(TIMES, true),
        HALF_OPEN(HALVES, false),
        HALF_COMMITTED(HALVES, true);

        private final String waitsIn;
        private final boolean isDelivered;

        Kind(String waitsIn, boolean isDelivered) {
            this.waitsIn = waitsIn;
            this.isDelivered = isDelivered;
        }

        String topic() {
            return "waiting-" + name();
        }

        String key() {
            return "key-" + name();
        }
    }

    /** Where one lies: its unique key, the offset id of its first frame, and that of the delivered one. */
    private record Place(String uniqueKey, String firstId, Optional<String> lastId) {}

    private final Target target;
    private final StockDriver driver;
    private final StockPuller puller;
    private final Map<Kind, Place> places = new LinkedHashMap<>();

    private WaitingMessages(Target target, StockDriver driver) {
        this.target = target;
        this.driver = driver;
        puller = driver.puller("waiting-reader");
    }

    /** Sends them, and waits until they are where they belong and are found. Blocks. */
    static WaitingMessages of(Target target, Path folder) throws Exception {
        try (AdminClient admin = new OwnBench(target, folder).admin()) {
            for (Kind kind : Kind.values()) {
                admin.topics().createOrUpdate(TopicConfig.of(kind.topic(), 1));
            }
        }
        WaitingMessages waiting =
                new WaitingMessages(target, StockDriver.impatient(StockPeer.CLIENT5, folder, target.namesrv()));
        waiting.sendAll();
        return waiting;
    }

    private void sendAll() {
        StockProducer producer = driver.producer("waiting", "check", "UNKNOW");
        Map<Kind, Sent> sent = new LinkedHashMap<>();
        for (Kind kind : Kind.values()) {
            sent.put(kind, send(producer, kind));
        }
        for (Kind kind : Kind.values()) {
            if (kind.isDelivered) {
                await(kind + " is delivered").atMost(OwnBench.PATIENCE).until(() -> puller.total(kind.topic()) == 1);
            }
        }
        // Keys are indexed in the order of the log: when this one is found, all before it are found that ever will be.
        String last = Kind.HALF_COMMITTED.topic();
        assertThat(producer.send("sync", last, "keys", "last")).allMatch(Sent::isOk);
        await("the index")
                .atMost(OwnBench.PATIENCE)
                .ignoreExceptions()
                .until(() -> puller.query(last, "last").size() == 1);
        sent.forEach((kind, told) -> {
            // A stock broker stores a half once more for each check.
            Received first = puller.query(kind.waitsIn, kind.key()).stream()
                    .min(Comparator.comparing(WaitingMessages::logOffset))
                    .orElseThrow();
            Optional<String> delivered = kind.isDelivered
                    ? Optional.of(offsetId(puller.all(kind.topic()).get(0)))
                    : Optional.empty();
            places.put(kind, new Place(told.msgId(), offsetId(first), delivered));
        });
    }

    private static Sent send(StockProducer producer, Kind kind) {
        List<Sent> sent = switch (kind) {
            case LEVEL_WAITING -> producer.send("sync", kind.topic(), options(kind, "delayLevel", 18));
            case LEVEL_DELIVERED -> producer.send("sync", kind.topic(), options(kind, "delayLevel", 1));
            case TIME_WAITING -> producer.send("sync", kind.topic(), options(kind, "systemProperties", delay(3_600)));
            case TIME_DELIVERED -> producer.send("sync", kind.topic(), options(kind, "systemProperties", delay(2)));
            case HALF_OPEN ->
                producer.inTransaction(
                        "UNKNOW", kind.topic(), options(kind, "properties", Map.of(SECONDS_IMMUNE, "3600")));
            case HALF_COMMITTED -> producer.inTransaction("COMMIT_MESSAGE", kind.topic(), options(kind));
        };
        assertThat(sent).singleElement().matches(Sent::isOk);
        return sent.get(0);
    }

    private static Object[] options(Kind kind, Object... more) {
        List<Object> options = new ArrayList<>(List.of("tags", "tagA", "keys", kind.key(), "body", "of " + kind));
        options.addAll(List.of(more));
        return options.toArray();
    }

    private static Map<String, String> delay(int seconds) {
        return Map.of("TIMER_DELAY_SEC", Integer.toString(seconds));
    }

    private static long logOffset(Received message) {
        return message.shape().getLongValue("commitLogOffset");
    }

    private String offsetId(Received message) {
        String[] address = target.broker().split(":");
        InetSocketAddress host = new InetSocketAddress(address[0], Integer.parseInt(address[1]));
        return new MessageId(host, logOffset(message)).text();
    }

    /** What the tools show of each of them, by question, as far as it does not depend on when and where they were sent. */
    Map<String, List<String>> shownBy(StockAdmin tools) throws IOException {
        Map<String, List<String>> together = new LinkedHashMap<>();
        Map<String, List<String>> alone = new LinkedHashMap<>();
        places.forEach((kind, place) -> {
            together.put(kind + " by its key", ask("queryMsgByKey", "-t", kind.topic(), "-k", kind.key()));
            together.put(kind + " by its key there", ask("queryMsgByKey", "-t", kind.waitsIn, "-k", kind.key()));
            together.put(kind + " by its first place", byPlace(tools, kind, place.firstId()));
            place.lastId().ifPresent(id -> together.put(kind + " by its last place", byPlace(tools, kind, id)));
            if (!kind.name().startsWith("TIME")) { // which differs from a level in the topic it waits in only
                List<String> question = ask("queryMsgByUniqueKey", "-t", kind.topic(), "-i", place.uniqueKey());
                alone.put(kind + " by its id", question);
            }
        });
        Map<String, List<String>> shown = new LinkedHashMap<>();
        List<StockAdmin.Result> results = tools.runAll(List.copyOf(together.values()));
        for (String question : together.keySet()) {
            shown.put(question, ShownMessage.lines(results.get(shown.size())));
        }
        for (Map.Entry<String, List<String>> question : alone.entrySet()) { // the tool does it once in a JVM
            shown.put(
                    question.getKey(),
                    ShownMessage.lines(tools.run(question.getValue().toArray(String[]::new))));
        }
        return shown;
    }

    private List<String> ask(String command, String... more) {
        List<String> line = new ArrayList<>(List.of(command, "-n", target.namesrv()));
        line.addAll(List.of(more));
        return line;
    }

    /** Tools of 4.9 take no topic here. */
    private List<String> byPlace(StockAdmin tools, Kind kind, String offsetId) {
        return tools.tools() == StockPeer.TOOLS5
                ? ask("queryMsgById", "-t", kind.topic(), "-i", offsetId)
                : ask("queryMsgById", "-i", offsetId);
    }

    @Override
    public void close() {
        driver.close();
    }
}

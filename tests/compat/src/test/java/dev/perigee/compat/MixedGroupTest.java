package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.consumer.PushConsumerBuilder;
import dev.perigee.harness.StockAdmin;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.protocol.allocate.AllocateMessageQueueAveragelyByCircle;
import dev.perigee.protocol.allocate.AllocateMessageQueueConsistentHash;
import dev.perigee.protocol.allocate.AllocateMessageQueueStrategy;
import dev.perigee.protocol.allocate.AllocateStrategies;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Stock consumers of both generations and Perigee's own share the queues of two topics, while members come, leave and are killed. The stock
 * ones look at the group by themselves only every 20 s, so whatever they do within 2 s they do because the broker told them (40).
 */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MixedGroupTest {
    private static final String GROUP = "mixed-group";
    private static final String STOCK_STRATEGIES = "org.apache.rocketmq.client.consumer.rebalance.";
    private static final int QUEUES = 12;

    private Path folder;
    private PerigeeProcess perigee;
    private OwnBench bench;
    private String topics;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        folder = directory;
        perigee = PerigeeProcess.up(folder.resolve("perigee"));
        bench = new OwnBench(perigee.target(), folder);
        topics = bench.topic("mixed", 8) + "," + bench.topic("mixed", 4);
    }

    @AfterAll
    void stop() {
        perigee.close();
    }

    @Test
    void theQueuesAreSharedOutAnewSoonAfterEveryChange() throws Exception {
        String namesrv = perigee.target().namesrv();
        List<String> both = List.of(topics.split(","));
        try (StockDriver five = StockDriver.start(StockPeer.CLIENT5, folder.resolve("five"), namesrv);
                StockDriver four = StockDriver.start(StockPeer.CLIENT4, folder.resolve("four"), namesrv);
                MixedGroup group = new MixedGroup(bench, GROUP, both, MixedGroup.Shares.EVEN);
                Traffic traffic = new Traffic(bench, both, List.of("T"))) {
            membersComeAndGo(group, five, four);
            Set<String> sent = traffic.stop().stream().map(Traffic.Known::body).collect(Collectors.toSet());
            await("every message at some member").atMost(OwnBench.PATIENCE).untilAsserted(() -> {
                Set<String> missing = new HashSet<>(sent);
                missing.removeAll(group.consumed());
                assertThat(missing).isEmpty();
            });
        }
    }

    /** One strategy by the name that stock clients and ours have for it. */
    private record Strategy(AllocateMessageQueueStrategy ours, MixedGroup.Shares shares) {
        Map<String, Object> settings() {
            return Map.of(
                    "allocateMessageQueueStrategy",
                    STOCK_STRATEGIES + ours.getClass().getSimpleName());
        }
    }

    @Test
    void membersOfAllMakesAgreeByOtherStrategiesToo() throws Exception {
        String namesrv = perigee.target().namesrv();
        try (StockDriver five = StockDriver.start(StockPeer.CLIENT5, folder.resolve("five-by"), namesrv);
                StockDriver four = StockDriver.start(StockPeer.CLIENT4, folder.resolve("four-by"), namesrv)) {
            agreeBy(new Strategy(new AllocateMessageQueueAveragelyByCircle(), MixedGroup.Shares.EVEN), five, four);
            agreeBy(new Strategy(new AllocateMessageQueueConsistentHash(), MixedGroup.Shares.ANY), five, four);
        }
    }

    private void agreeBy(Strategy strategy, StockDriver five, StockDriver four) throws Exception {
        String name = GROUP + "-" + strategy.ours().name().toLowerCase(Locale.ROOT);
        try (MixedGroup group = new MixedGroup(bench, name, List.of(topics.split(",")), strategy.shares())) {
            group.joined(own(name, strategy.ours()));
            group.joined(stock(five, name, strategy.settings()));
            GroupMember ofFour = group.joined(stock(four, name, strategy.settings()));
            group.joined(own(name, strategy.ours()));
            group.leaves(ofFour);
        }
    }

    private void membersComeAndGo(MixedGroup group, StockDriver five, StockDriver four) throws Exception {
        GroupMember own = group.joined(own(GROUP, AllocateStrategies.AVERAGELY));
        GroupMember ofFive = group.joined(stock(five, GROUP, Map.of()));
        GroupMember ofFour = group.joined(stock(four, GROUP, Map.of()));
        OwnMemberProcess alone = group.joined(
                OwnMemberProcess.start(folder.resolve("alone"), bench.target().namesrv(), GROUP, topics));
        mqadminShowsAnOwnerOfEveryQueue();
        group.leaves(ofFour);
        group.leaves(own);
        group.joined(own(GROUP, AllocateStrategies.AVERAGELY));
        group.joined(stock(four, GROUP, Map.of()));
        group.loses(alone, alone::kill);
        group.loses(ofFive, five::close);
        mqadminShowsAnOwnerOfEveryQueue();
    }

    private GroupMember own(String group, AllocateMessageQueueStrategy strategy) throws Exception {
        Queue<String> got = new ConcurrentLinkedQueue<>();
        String[] both = topics.split(",");
        PushConsumerBuilder builder =
                bench.consumer(group, both[0]).subscribe(both[1], "*").strategy(strategy);
        PushConsumer consumer = OwnBench.collecting(builder, got);
        return new GroupMember.Own(consumer, got);
    }

    private GroupMember stock(StockDriver driver, String group, Map<String, Object> settings) {
        return new GroupMember.Stock(driver.consumer(group, topics, "settings", settings));
    }

    private void mqadminShowsAnOwnerOfEveryQueue() throws IOException {
        StockAdmin admin = new StockAdmin(StockPeer.TOOLS5, folder.resolve("admin"));
        StockAdmin.Result shown =
                admin.run("consumerProgress", "-n", bench.target().namesrv(), "-g", GROUP, "-s", "true");
        List<String> rows = shown.stdout()
                .lines()
                .filter(line -> List.of(topics.split(",")).contains(line.split("\\s+", 2)[0]))
                .toList();
        assertThat(rows).as(shown.toString()).hasSize(QUEUES).noneMatch(row -> row.contains("N/A"));
    }
}

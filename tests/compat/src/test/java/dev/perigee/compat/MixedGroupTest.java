package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.consumer.PushConsumerBuilder;
import dev.perigee.harness.StockAdmin;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
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
    /**
     * With its listener on, a consumer of 5.x whose start meets the heartbeat of its own new connection says nothing itself and takes no
     * queues for 20 s.
     */
    private static final Map<String, Object> PROMPT = Map.of("enableHeartbeatChannelEventListener", false);

    private static final String GROUP = "mixed-group";
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
    void theQueuesAreSharedOutAnewWithinTwoSecondsOfEveryChange() throws Exception {
        String namesrv = perigee.target().namesrv();
        List<String> both = List.of(topics.split(","));
        try (StockDriver five = StockDriver.start(StockPeer.CLIENT5, folder.resolve("five"), namesrv);
                StockDriver four = StockDriver.start(StockPeer.CLIENT4, folder.resolve("four"), namesrv);
                MixedGroup group = new MixedGroup(bench, GROUP, both);
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

    private void membersComeAndGo(MixedGroup group, StockDriver five, StockDriver four) throws Exception {
        GroupMember own = group.joined(own());
        GroupMember ofFive = group.joined(stock(five, PROMPT));
        GroupMember ofFour = group.joined(stock(four, Map.of()));
        OwnMemberProcess alone = group.joined(
                OwnMemberProcess.start(folder.resolve("alone"), bench.target().namesrv(), GROUP, topics));
        mqadminShowsAnOwnerOfEveryQueue();
        group.leaves(ofFour);
        group.leaves(own);
        group.joined(own());
        group.joined(stock(four, Map.of()));
        alone.kill();
        group.lost(alone);
        five.close();
        group.lost(ofFive);
        mqadminShowsAnOwnerOfEveryQueue();
    }

    private GroupMember own() throws Exception {
        Queue<String> got = new ConcurrentLinkedQueue<>();
        String[] both = topics.split(",");
        PushConsumerBuilder builder = bench.consumer(GROUP, both[0]).subscribe(both[1], "*");
        PushConsumer consumer = OwnBench.collecting(builder, got);
        return new GroupMember.Own(consumer, got);
    }

    private GroupMember stock(StockDriver driver, Map<String, Object> settings) {
        return new GroupMember.Stock(driver.consumer(GROUP, topics, "settings", settings));
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

package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.harness.StockAdmin;
import dev.perigee.harness.StockCluster;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.own.PerigeeProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Stock mqadmin finds messages that wait or waited, and halves of transactions, on Perigee as it finds them on a stock broker: by key and by
 * unique key under the broker's own topic while they wait and under their own when they are delivered, and by place in either.
 */
@Tag("soak")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class WaitingByMqadminTest {
    private Path folder;
    private PerigeeProcess perigee;
    private StockCluster stock;
    private WaitingMessages ours;
    private WaitingMessages theirs;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        folder = directory;
        perigee = PerigeeProcess.upAskingSoon(directory.resolve("perigee"));
        stock = new StockCluster(directory.resolve("stock")).asksSoon().start();
        CompletableFuture<WaitingMessages> other =
                beside(() -> WaitingMessages.of(stock.target(), folder.resolve("b")));
        ours = WaitingMessages.of(perigee.target(), folder.resolve("a"));
        theirs = other.get();
    }

    private static <T> CompletableFuture<T> beside(Callable<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                result.complete(work.call());
            } catch (Exception | AssertionError failure) {
                result.completeExceptionally(failure);
            }
        });
        thread.start();
        return result;
    }

    @AfterAll
    void stop() {
        ours.close();
        theirs.close();
        stock.close();
        perigee.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"TOOLS5", "TOOLS4"})
    void queriesShowWhatTheyShowAtAStockBroker(StockPeer tools) throws Exception {
        CompletableFuture<Map<String, List<String>>> other =
                beside(() -> theirs.shownBy(new StockAdmin(tools, folder.resolve("theirs-" + tools))));
        Map<String, List<String>> atOurs = ours.shownBy(new StockAdmin(tools, folder.resolve("ours-" + tools)));
        Map<String, List<String>> atTheirs = other.get();
        assertThat(atOurs).isEqualTo(atTheirs);
        assertThat(atOurs).containsEntry("HALF_OPEN by its id", List.of("nothing"));
        assertThat(atOurs.get("LEVEL_WAITING by its first place")).contains("Topic: SCHEDULE_TOPIC_XXXX");
        assertThat(atOurs.get("HALF_COMMITTED by its last place")).contains("System Flag: 8");
    }
}

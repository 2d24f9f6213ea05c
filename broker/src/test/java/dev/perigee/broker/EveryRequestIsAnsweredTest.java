package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.remoting.AllRequests;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a request says, it is answered, and its connection stays. */
class EveryRequestIsAnsweredTest {
    @TempDir
    Path folder;

    @Test
    void whateverItsHeaderAndBody() throws Exception {
        try (TestBroker broker = new TestBroker(folder, Map.of())) {
            broker.send("T", 0, "m");
            AllRequests.areAnsweredBy(broker.address);
            assertThat(broker.send("T", 0, "still there").code()).isZero();
        }
    }
}

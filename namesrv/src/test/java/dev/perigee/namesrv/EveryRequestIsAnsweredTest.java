package dev.perigee.namesrv;

import dev.perigee.loop.Clock;
import dev.perigee.remoting.AllRequests;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a request says, it is answered, and its connection stays. */
class EveryRequestIsAnsweredTest {
    @TempDir
    Path folder;

    @Test
    void whateverItsHeaderAndBody() throws Exception {
        NameServerConfig config =
                NameServerConfig.defaults().listenOn("127.0.0.1", 0).keepKvIn(folder.resolve("kvConfig.json"));
        try (NameServer server = new NameServer(config, Clock.system())) {
            server.start();
            AllRequests.areAnsweredBy("127.0.0.1:" + server.port());
        }
    }
}

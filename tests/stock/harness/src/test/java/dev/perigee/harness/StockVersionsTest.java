package dev.perigee.harness;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.fastjson2.JSONObject;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A stock peer is stock only while it runs on the versions its own POM asks for; our dependency management must not reach it. */
@Tag("full")
class StockVersionsTest {
    @Test
    @DisplayName("every stock class path has the versions its own POM resolves")
    void classPaths() {
        assertThat(VersionReport.all())
                .as(VersionReport.text())
                .containsExactly(
                        new VersionReport(StockPeer.CLIENT5, "4.1.130.Final", "1.2.83", "5.5.0"),
                        new VersionReport(StockPeer.CLIENT4, "4.1.65.Final", "1.2.69_noneautotype", "4.9.8"),
                        new VersionReport(StockPeer.TOOLS5, "4.1.130.Final", "1.2.83", "5.5.0"),
                        new VersionReport(StockPeer.TOOLS4, "4.1.65.Final", "1.2.69_noneautotype", "4.9.8"),
                        new VersionReport(StockPeer.SERVER5, "4.1.130.Final", "1.2.83", "5.5.0"),
                        new VersionReport(StockPeer.SPRING, "4.1.114.Final", "1.2.83", "5.3.2"));
    }

    @Test
    @DisplayName("a running driver loaded exactly those jars")
    void running(@TempDir Path folder) throws IOException {
        try (StockDriver five = StockDriver.start(StockPeer.CLIENT5, folder.resolve("five"), "127.0.0.1:1");
                StockDriver four = StockDriver.start(StockPeer.CLIENT4, folder.resolve("four"), "127.0.0.1:1")) {
            JSONObject loaded5 = five.call("versions");
            assertThat(loaded5.getString("client")).isEqualTo("rocketmq-client-5.5.0.jar");
            assertThat(loaded5.getString("netty")).isEqualTo("netty-transport-4.1.130.Final.jar");
            assertThat(loaded5.getString("fastjson")).isEqualTo("fastjson-1.2.83.jar");
            JSONObject loaded4 = four.call("versions");
            assertThat(loaded4.getString("client")).isEqualTo("rocketmq-client-4.9.8.jar");
            assertThat(loaded4.getString("netty")).isEqualTo("netty-all-4.1.65.Final.jar");
            assertThat(loaded4.getString("fastjson")).isEqualTo("fastjson-1.2.69_noneautotype.jar");
        }
    }

    @Test
    @DisplayName("our own class path has no stock jar")
    void clean() {
        assertThat(System.getProperty("java.class.path")).doesNotContain("rocketmq");
    }
}

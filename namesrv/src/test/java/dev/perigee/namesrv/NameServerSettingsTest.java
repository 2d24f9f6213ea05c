package dev.perigee.namesrv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.loop.config.ChangedSettings;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Settings that tools change (318) and see (319). */
class NameServerSettingsTest {
    @TempDir
    Path folder;

    private RunningNameServer server;

    @BeforeEach
    void start() throws Exception {
        server = new RunningNameServer(folder);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private String settings() throws Exception {
        return new String(
                server.ask(Rpcs.GET_NAMESRV_CONFIG, NoHeader.NONE, new byte[0]).body(), StandardCharsets.UTF_8);
    }

    @Test
    void settingsThatMayNotChangeAreRefusedByName() throws Exception {
        byte[] path = "kvConfigPath=/elsewhere\norderMessageEnable=true".getBytes(StandardCharsets.UTF_8);
        Answer<NoHeader> refused = server.ask(Rpcs.UPDATE_NAMESRV_CONFIG, NoHeader.NONE, path);
        assertThat(refused.code()).isEqualTo(ResponseCode.NO_PERMISSION);
        assertThat(refused.remark()).contains("kvConfigPath");

        byte[] bad = "orderMessageEnable=perhaps".getBytes(StandardCharsets.UTF_8);
        Answer<NoHeader> wrong = server.ask(Rpcs.UPDATE_NAMESRV_CONFIG, NoHeader.NONE, bad);
        assertThat(wrong.code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
        assertThat(folder.resolve("kv/changed.properties")).doesNotExist();
        assertThat(wrong.remark()).contains("orderMessageEnable", "perhaps", "true or false");
        assertThat(settings()).contains("orderMessageEnable=false\n");
    }

    @Test
    void changedSettingsOutliveARestart() throws Exception {
        byte[] change = "orderMessageEnable=true\nnoSuchKey=1\n".getBytes(StandardCharsets.UTF_8);
        assertThat(server.ask(Rpcs.UPDATE_NAMESRV_CONFIG, NoHeader.NONE, change).code())
                .isZero();
        byte[] other = "enableAllTopicList=false".getBytes(StandardCharsets.UTF_8);
        assertThat(server.ask(Rpcs.UPDATE_NAMESRV_CONFIG, NoHeader.NONE, other).code())
                .isZero();
        server.close();

        server = new RunningNameServer(folder);

        assertThat(settings())
                .contains("orderMessageEnable=true\n", "enableAllTopicList=false\n")
                .doesNotContain("noSuchKey");
        assertThat(server.ask(Rpcs.GET_ALL_TOPIC_LIST_FROM_NAMESERVER, NoHeader.NONE, new byte[0])
                        .code())
                .isEqualTo(ResponseCode.SYSTEM_ERROR);
    }

    @Test
    void aChangedSettingThatIsNotAcceptedStopsTheStartByFileAndKey() throws Exception {
        server.close();
        Files.createDirectories(folder.resolve("kv"));
        Files.writeString(folder.resolve("kv/changed.properties"), "orderMessageEnable=perhaps\n");

        assertThatThrownBy(() -> new RunningNameServer(folder))
                .hasMessageContainingAll("changed.properties", "orderMessageEnable=perhaps");
    }

    @Test
    void aFileOfChangedSettingsThatIsTooLargeStopsTheStartWithItsLimit() throws Exception {
        server.close();
        Files.createDirectories(folder.resolve("kv"));
        Files.writeString(folder.resolve("kv/changed.properties"), "#".repeat(ChangedSettings.MAX_BYTES + 1));

        assertThatThrownBy(() -> new RunningNameServer(folder))
                .hasMessageContainingAll("changed.properties", "at most " + ChangedSettings.MAX_BYTES);
    }

    @Test
    void aChangeThatIsNotKeptIsNotInForce() throws Exception {
        Files.createDirectories(folder.resolve("kv/changed.properties.new")); // where the draft should be
        byte[] change = "orderMessageEnable=true".getBytes(StandardCharsets.UTF_8);

        assertThat(server.ask(Rpcs.UPDATE_NAMESRV_CONFIG, NoHeader.NONE, change).remark())
                .contains("changed.properties.new");
        assertThat(settings()).contains("orderMessageEnable=false\n");
    }
}

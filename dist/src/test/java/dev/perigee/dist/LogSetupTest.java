package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class LogSetupTest {
    private static final Logger LOG = LoggerFactory.getLogger(LogSetupTest.class);

    @TempDir
    Path folder;

    @AfterEach
    void letGoOfTheFiles() {
        LogSetup.flush();
    }

    @Test
    void aServerWritesToItsFolderAlthoughALoggerWasMadeBefore() {
        LogSetup.server(folder, Level.ERROR);
        LOG.info("event=told");
        LOG.debug("event=not_told");
        LogSetup.flush();

        assertThat(LogSetup.logFile(folder))
                .content()
                .contains("LogSetupTest event=told")
                .doesNotContain("not_told");
    }

    @Test
    void theConsoleLeavesOutWhatTheCommandSaysThereItself() {
        ByteArrayOutputStream console = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(console, true, StandardCharsets.UTF_8));
        try {
            LogSetup.server(folder, Level.WARN);
            LOG.warn("event=setting_ignored key={}", "someForgottenKey");
            LOG.warn("event=other");
            LogSetup.flush();
        } finally {
            System.setErr(before);
        }
        assertThat(console.toString(StandardCharsets.UTF_8))
                .contains("event=other")
                .doesNotContain("someForgottenKey");
        assertThat(LogSetup.logFile(folder)).content().contains("event=setting_ignored key=someForgottenKey");
    }

    @Test
    void theFolderOfTheLastServerCounts() {
        Path second = folder.resolve("second");
        LogSetup.server(folder.resolve("first"), Level.ERROR);
        LOG.info("event=one");
        LogSetup.server(second, Level.ERROR);
        LOG.info("event=two");
        LogSetup.flush();

        assertThat(LogSetup.logFile(folder.resolve("first")))
                .content()
                .contains("event=one")
                .doesNotContain("event=two");
        assertThat(LogSetup.logFile(second)).content().contains("event=two").doesNotContain("event=one");
    }
}

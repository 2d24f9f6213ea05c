package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.session.ExitCode;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What commands and members say to a person who tries a group of brokers. */
@Tag("full")
class GroupWordsTest {
    @TempDir
    private Path folder;

    private RunningMembers members;

    @BeforeEach
    void start() throws Exception {
        members = new RunningMembers(folder);
    }

    @AfterEach
    void stop() {
        members.close();
    }

    @Test
    void whoSendsToAGroupThatHasNotBegunIsToldThatNobodyIsTheMaster() throws Exception {
        members.start(0);

        RunningUp.await(() -> members.run("cluster", "list").out().contains(RunningMembers.BROKER));
        Run send = members.run("send", "demo", "hello");
        assertThat(send.exitCode()).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(send.err())
                .contains("topic has no route")
                .contains("; broker-a has no master just now ('raft status broker-a' says who is missing of a group)");
    }
}

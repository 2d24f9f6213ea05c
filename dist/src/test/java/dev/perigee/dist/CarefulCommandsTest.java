package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.session.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** Commands that take messages away from somebody do it only when told so. */
@ExtendWith(SharedUp.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CarefulCommandsTest {
    private final RunningUp up;

    CarefulCommandsTest(RunningUp up) {
        this.up = up;
    }

    private static void refused(Run run, String... parts) {
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(ExitCode.USAGE);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines())
                .singleElement()
                .satisfies(line -> assertThat(line).startsWith("perigee: ").contains(parts));
    }

    @Test
    void aTopicGetsFewerQueuesOnlyWhenToldSo() {
        up.ok("topic", "create", "careful-narrow", "--queues", "4");

        refused(
                up.run("topic", "create", "careful-narrow", "--queues", "3"),
                "topic careful-narrow has 4 queues on broker-a",
                "with 3",
                "--yes");
        assertThat(up.ok("topic", "describe", "careful-narrow").out()).contains("4 write and 4 read queues");

        up.ok("topic", "create", "careful-narrow", "--queues", "4");
        up.ok("topic", "create", "careful-narrow", "--queues", "3", "--yes");
        assertThat(up.ok("topic", "describe", "careful-narrow").out()).contains("3 write and 3 read queues");
        up.ok("topic", "create", "careful-narrow", "--queues", "5");
    }

    @Test
    void aTopicIsDeletedOnlyWhenToldSo() {
        up.ok("topic", "create", "careful-gone", "--queues", "1");
        refused(up.run("topic", "delete", "careful-gone"), "topic careful-gone", "all its messages", "--yes");
        assertThat(up.ok("topic", "list").out()).contains("careful-gone");
        up.ok("topic", "delete", "careful-gone", "--yes");
        assertThat(up.ok("topic", "list").out()).doesNotContain("careful-gone");
    }

    @Test
    void aGroupIsDeletedOnlyWhenToldSo() {
        up.ok("group", "create", "careful-g");
        refused(up.run("group", "delete", "careful-g"), "group careful-g with its positions", "--yes");
        assertThat(up.ok("group", "list").out()).contains("careful-g");
        up.ok("group", "delete", "careful-g", "--yes");
        assertThat(up.ok("group", "list").out()).doesNotContain("careful-g");
    }

    @Test
    void aGroupWithoutAPositionIsSetBehindMessagesOnlyWhenToldSo() {
        up.ok("topic", "create", "careful-end", "--queues", "1");
        up.ok("send", "careful-end", "one", "two");
        up.ok("group", "create", "careful-end-g");
        String[] words = {"group", "reset-offset", "careful-end-g", "--topic", "careful-end", "--to-end"};

        refused(up.run(words), "would never consume 2 messages of topic careful-end", "--yes");
        assertThat(up.ok("group", "lag", "careful-end-g").out()).contains("no positions yet");

        up.ok("group", "reset-offset", "careful-end-g", "--topic", "careful-end", "--to-begin");
        up.ok("group", "reset-offset", "careful-end-g", "--topic", "careful-end", "--to-end", "--yes");
        assertThat(up.ok("group", "lag", "careful-end-g", "--json").out()).contains("\"lag\":0");
    }
}

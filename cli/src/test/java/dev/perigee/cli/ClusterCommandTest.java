package dev.perigee.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.cli.output.Column;
import dev.perigee.cli.session.CommandException;
import dev.perigee.protocol.route.BrokerData;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClusterCommandTest {
    private static BrokerData broker(Map<Long, String> addresses) {
        return new BrokerData("c", "b", addresses, false, null);
    }

    @Test
    void aNameStandsForItsMasterAndWithoutOneForTheSlaveWithTheSmallestId() throws Exception {
        Map<Long, String> all = Map.of(0L, "master:1", 1L, "one:1", 2L, "two:1");
        assertThat(ClusterCommand.address(Map.of("b", broker(all)), "b")).isEqualTo("master:1");
        Map<Long, String> slaves = Map.of(2L, "two:1", 1L, "one:1");
        assertThat(ClusterCommand.address(Map.of("b", broker(slaves)), "b")).isEqualTo("one:1");
    }

    @Test
    void aNameThatNobodyHasIsNotFound() {
        assertThatThrownBy(() -> ClusterCommand.address(Map.of("b", broker(Map.of())), "b"))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("broker b is not registered");
        assertThatThrownBy(() -> ClusterCommand.address(Map.of(), "b")).isInstanceOf(CommandException.class);
    }

    private static @Nullable Object roleOf(boolean answers) {
        ReplicaTable.Line line =
                new ReplicaTable.Line(broker(Map.of()), 0, "a:1", answers, Optional.empty(), null, false);
        Column<ReplicaTable.Line> role = ReplicaTable.columns().stream()
                .filter(column -> column.member().equals("role"))
                .findFirst()
                .orElseThrow();
        return role.value().apply(line);
    }

    /** A broker of the 4.x line does not know the question. */
    @Test
    void aBrokerThatRefusesTheQuestionIsNotSaidToBeSilent() {
        assertThat(roleOf(false)).isEqualTo("does not answer");
        assertThat(roleOf(true)).isNull();
    }
}

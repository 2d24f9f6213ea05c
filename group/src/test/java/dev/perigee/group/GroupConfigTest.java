package dev.perigee.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class GroupConfigTest {
    private static GroupConfig of(String selfId, String peers) {
        return GroupConfig.of("cluster", "broker-a", selfId, GroupConfig.peers(peers));
    }

    @Test
    void peersAreReadAsRocketMqWritesThem() {
        GroupConfig config = of("n1", " n0-127.0.0.1:40911;n1-host-b.example:40912; n2-[::1]:40913;");

        assertThat(config.peers())
                .containsExactly(
                        new GroupConfig.Peer("n0", "127.0.0.1:40911"),
                        new GroupConfig.Peer("n1", "host-b.example:40912"),
                        new GroupConfig.Peer("n2", "[::1]:40913"));
        assertThat(config.warning()).isEmpty();
    }

    @Test
    void twoPeersWithOneIdAreRefusedWithBoth() {
        assertThatThrownBy(() -> of("n0", "n0-a:1;n1-b:1;n0-c:1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("n0-a:1")
                .hasMessageContaining("n0-c:1");
    }

    @Test
    void twoPeersAtOneAddressAreRefusedWithBoth() {
        assertThatThrownBy(() -> of("n0", "n0-a:1;n1-b:1;n2-a:1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("n0-a:1")
                .hasMessageContaining("n2-a:1");
    }

    @Test
    void whoIsNotAmongThePeersIsRefusedWithBothValues() {
        assertThatThrownBy(() -> of("n3", "n0-a:1;n1-b:1;n2-c:1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("this node is n3")
                .hasMessageContaining("n0-a:1;n1-b:1;n2-c:1");
    }

    @Test
    void whatIsNoPeerIsRefusedByName() {
        assertThatThrownBy(() -> GroupConfig.peers("n0-a:1;what"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("what");
        assertThatThrownBy(() -> GroupConfig.peers("n0-a:0")).hasMessageContaining("n0-a:0");
        assertThatThrownBy(() -> GroupConfig.peers("n0-a:x")).hasMessageContaining("n0-a:x");
        assertThatThrownBy(() -> GroupConfig.peers("-a:1")).hasMessageContaining("-a:1");
        assertThatThrownBy(() -> of("n0", "")).hasMessageContaining("1 to 32 peers, not 0");
    }

    @Test
    void anEvenNumberIsWarnedAboutWithTheReason() {
        assertThat(of("n0", "n0-a:1;n1-b:1;n2-c:1;n3-d:1").warning())
                .hasValueSatisfying(
                        text -> assertThat(text).contains("a group of 4").contains("3 of them must live"));
        assertThat(of("n0", "n0-a:1;n1-b:1").warning()).isPresent();
    }
}

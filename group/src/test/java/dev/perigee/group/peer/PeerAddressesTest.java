package dev.perigee.group.peer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PeerAddressesTest {
    private final PeerAddresses addresses = new PeerAddresses("log:1", "settings:1");

    @Test
    void oneAfterTheOtherIsTried() {
        assertThat(addresses.now()).isEqualTo("log:1");
        addresses.failed("log:1");
        assertThat(addresses.now()).isEqualTo("settings:1");
        addresses.failed("log:1");
        assertThat(addresses.now()).as("that was known already").isEqualTo("settings:1");
        addresses.failed("settings:1");
        assertThat(addresses.now()).isEqualTo("log:1");
    }

    @Test
    void aMemberIsElsewhereUntilSomebodyElseWasFoundAtAllOfThem() {
        assertThat(addresses.isElsewhere("log:1")).isTrue();
        assertThat(addresses.now()).isEqualTo("settings:1");
        assertThat(addresses.isDoubtful()).isTrue();
        assertThat(addresses.isElsewhere("settings:1")).isFalse();

        addresses.failed("log:1");
        assertThat(addresses.isElsewhere("settings:1"))
                .as("nobody is at the other one")
                .isTrue();

        addresses.heard();
        assertThat(addresses.isDoubtful()).isFalse();
    }

    @Test
    void whatItSaysItselfIsTriedLastAndReplacesWhatItSaidBefore() {
        addresses.said("log:1");
        addresses.said("");
        addresses.said("said:1");
        addresses.failed("log:1");
        addresses.failed("settings:1");
        assertThat(addresses.now()).isEqualTo("said:1");

        addresses.said("said:2");
        assertThat(addresses.now()).isEqualTo("said:2");
        addresses.failed("said:2");
        assertThat(addresses.now()).isEqualTo("log:1");
    }

    @Test
    void theSameAddressTwiceIsOne() {
        PeerAddresses one = new PeerAddresses("log:1", "log:1");

        assertThat(one.isOne()).isTrue();
        one.failed("log:1");
        assertThat(one.now()).isEqualTo("log:1");
        assertThat(one.isElsewhere("log:1")).isFalse();
        assertThat(new PeerAddresses("log:1", null).isOne()).isTrue();
        assertThat(addresses.isOne()).isFalse();
        assertThat(addresses.beginsWith("log:1")).isTrue();
        assertThat(addresses.beginsWith("settings:1")).isFalse();
    }
}

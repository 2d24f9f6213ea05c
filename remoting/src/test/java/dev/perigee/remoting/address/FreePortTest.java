package dev.perigee.remoting.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.loop.config.ConfigException;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.netty.EventLoops;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;

class FreePortTest {
    /** Reserved for documentation: no machine has it. */
    private static final String FOREIGN = "192.0.2.1";

    private static ListenPort port(String host, int port) {
        return new ListenPort("bindAddress", host, "listenPort", port);
    }

    @Test
    void aTakenPortIsNamedWithItsSetting() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                EventLoops loops = EventLoops.start("free-port", 1)) {
            ListenPort wanted = port("127.0.0.1", taken.getLocalPort());
            assertThatThrownBy(() -> FreePort.check(List.of(wanted)))
                    .isInstanceOf(RemotingException.BindFailed.class)
                    .hasMessageStartingWith("cannot listen on 127.0.0.1:" + taken.getLocalPort() + " (listenPort): ");
            assertThatThrownBy(() -> FreePort.find(loops, wanted))
                    .isInstanceOf(RemotingException.BindFailed.class)
                    .hasMessageStartingWith("cannot listen on 127.0.0.1:" + taken.getLocalPort() + " (listenPort): ");
        }
    }

    @Test
    void aHostThatIsNotThisMachineIsAWrongSetting() {
        try (EventLoops loops = EventLoops.start("free-port", 1)) {
            for (String host : List.of(FOREIGN, "nobody.invalid")) {
                assertThatThrownBy(() -> FreePort.check(List.of(port(host, 0))))
                        .isInstanceOf(ConfigException.class)
                        .hasMessageContaining(
                                "bindAddress=" + host + " is not accepted: wanted an address of this machine");
                assertThatThrownBy(() -> FreePort.find(loops, port(host, 0)))
                        .isInstanceOf(ConfigException.class)
                        .hasMessageContaining("bindAddress=" + host);
            }
        }
    }

    @Test
    void aFreePortStaysFreeAndAnyPortIsChosen() throws Exception {
        try (EventLoops loops = EventLoops.start("free-port", 1)) {
            int found = FreePort.find(loops, port("127.0.0.1", 0));
            assertThat(found).isPositive();
            assertThat(FreePort.find(loops, port("127.0.0.1", found))).isEqualTo(found);
            assertThatCode(() -> FreePort.check(List.of(port("127.0.0.1", found), port("127.0.0.1", 0))))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void aPortWantedTwiceIsNamedWithBothSettings() {
        ListenPort metrics = new ListenPort("bindAddress", "0.0.0.0", "metricsPromExporterPort", 10_911);
        assertThatThrownBy(() -> FreePort.check(List.of(port("127.0.0.1", 10_911), metrics)))
                .isInstanceOf(ConfigException.class)
                .hasMessage("setting metricsPromExporterPort=10911 is not accepted: wanted another port than that of"
                        + " listenPort");
    }
}

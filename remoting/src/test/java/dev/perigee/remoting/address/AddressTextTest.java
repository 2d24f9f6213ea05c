package dev.perigee.remoting.address;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressTextTest {
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:9876, 127.0.0.1, 9876",
        "localhost:1, localhost, 1",
        "mq-1.example.com:65535, mq-1.example.com, 65535",
        "name_server:9876, name_server, 9876",
        "::1:9876, ::1, 9876",
        "[fe80::1]:9876, [fe80::1], 9876",
        "3com.com:80, 3com.com, 80"
    })
    void hostAndPortAreSplitAtTheLastColon(String text, String host, int port) {
        assertThat(AddressText.parse(text)).contains(new AddressText(host, port));
        assertThat(new AddressText(host, port)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "host",
                ":9876",
                "host:",
                "host:0",
                "host:65536",
                "host:-1",
                "host:+1",
                "host:9876x",
                "host:123456",
                "256.0.0.1:9876",
                "10.0.1:9876",
                "10.0.0.0.1:9876",
                "a b:9876",
                "-host:9876",
                "host-:9876",
                "a..b:9876",
                "http://host:9876",
                ":::1:9876",
                "[::1:9876",
                "grüße:9876"
            })
    void anythingElseIsNoAddress(String text) {
        assertThat(AddressText.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {63, 64, 253, 254})
    void namesHaveTheLengthOfNamesInTheDomainNameSystem(int length) {
        boolean oneLabel = length < 100;
        String name = oneLabel ? "a".repeat(length) : ("a".repeat(49) + ".").repeat(5) + "b".repeat(length - 250);
        assertThat(AddressText.isHost(name)).isEqualTo(length == 63 || length == 253);
    }
}

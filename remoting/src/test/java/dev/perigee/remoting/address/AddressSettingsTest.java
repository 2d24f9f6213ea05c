package dev.perigee.remoting.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.loop.config.ConfigException;
import dev.perigee.loop.config.Setting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressSettingsTest {
    private static void refused(Setting<?> setting, String text) {
        assertThatThrownBy(() -> setting.parse(text))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("setting " + setting.key() + "=" + text + " is not accepted: wanted ")
                .hasMessageEndingWith(setting.accepted());
    }

    @Test
    void addressesAreListedOnceWhateverSeparatesThem() {
        Setting<String> setting = AddressSettings.addresses("namesrvAddr");
        String value = setting.parse(" a:1; b:2,http://c:3 ;;a:1;");
        assertThat(value).isEqualTo("a:1;b:2;c:3");
        assertThat(AddressSettings.list(value)).containsExactly("a:1", "b:2", "c:3");
        assertThat(AddressSettings.list(setting.parse(";"))).isEmpty();
        refused(setting, "a:1;b");
        refused(setting, "a:1;b:70000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "[::]", "0:0:0:0:0:0:0:0", "nobody here", "1.2.3"})
    void aHostThatOthersAreToldIsOneTheyCanReach(String host) {
        refused(AddressSettings.toldHost("brokerIP1", ""), host);
    }

    @Test
    void everywhereIsAHostToListenOn() {
        assertThat(AddressSettings.host("bindAddress", "").parse("0.0.0.0")).isEqualTo("0.0.0.0");
        assertThat(AddressSettings.host("bindAddress", "").parse("::")).isEqualTo("::");
        refused(AddressSettings.host("bindAddress", ""), "0.0.0.0:10911");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", ".", "..", ".hidden", "a/b", "a:1", "a;b", "naïve", "a\tb"})
    void aNameHasTheCharactersOfNames(String name) {
        refused(AddressSettings.name("brokerName", "broker-a"), name);
    }

    @Test
    void aNameLeavesRoomForTheSystemTopicsMadeOfIt() {
        Setting<String> setting = AddressSettings.name("brokerName", "broker-a");
        assertThat(setting.parse("b".repeat(100))).hasSize(100);
        assertThat(setting.parse("mq-1.example.com")).isEqualTo("mq-1.example.com");
        refused(setting, "b".repeat(101));
    }

    @Test
    void aHostThatCannotBeLookedUpIsNamed() {
        AddressSettings.requireKnown("brokerIP1", "127.0.0.1");
        assertThatThrownBy(() -> AddressSettings.requireKnown("brokerIP1", "nobody.invalid"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("brokerIP1=nobody.invalid");
    }
}

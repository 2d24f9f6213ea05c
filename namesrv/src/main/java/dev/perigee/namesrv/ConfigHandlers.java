package dev.perigee.namesrv;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.loop.config.ConfigException;
import dev.perigee.loop.config.ConfigReader;
import dev.perigee.loop.config.Setting;
import dev.perigee.namesrv.NameServerConfig.Switches;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.transport.Payload;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows the settings of this server and changes those that may change while it runs. Changes last until the next start:
 * the file that configured the server is never rewritten.
 */
@ThreadSafe
final class ConfigHandlers {
    private static final Logger LOG = LoggerFactory.getLogger(ConfigHandlers.class);
    private static final Set<String> CHANGEABLE =
            Switches.ALL.stream().map(Setting::key).collect(Collectors.toUnmodifiableSet());

    private final NameServerConfig config;
    private final LiveSwitches switches;

    ConfigHandlers(NameServerConfig config, LiveSwitches switches) {
        this.config = config;
        this.switches = switches;
    }

    void addTo(HandlerTable.Builder handlers) {
        handlers.on(Rpcs.UPDATE_NAMESRV_CONFIG, this::update).on(Rpcs.GET_NAMESRV_CONFIG, this::show);
    }

    private void update(Request<NoHeader> request, Reply<NoHeader> reply) {
        Properties asked = new Properties();
        try {
            asked.load(new StringReader(new String(request.copyBody(), StandardCharsets.UTF_8)));
        } catch (IOException | IllegalArgumentException e) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "the body is no list of key=value lines: " + e.getMessage());
            return;
        }
        TreeSet<String> forbidden = new TreeSet<>(asked.stringPropertyNames());
        forbidden.removeAll(CHANGEABLE);
        if (!forbidden.isEmpty()) {
            reply.fail(
                    ResponseCode.NO_PERMISSION,
                    "Can not update config in black list: " + forbidden + " cannot change while the server runs;"
                            + " changeable: " + new TreeSet<>(CHANGEABLE));
            return;
        }
        try {
            Switches changed = switches.change(current -> merged(current, asked));
            LOG.info("event=config_changed keys={} now={}", new TreeSet<>(asked.stringPropertyNames()), changed);
            reply.ok(NoHeader.NONE);
        } catch (ConfigException e) {
            reply.fail(ResponseCode.SYSTEM_ERROR, String.valueOf(e.getMessage()));
        }
    }

    private void show(Request<NoHeader> request, Reply<NoHeader> reply) {
        Properties values = config.toProperties();
        values.putAll(switches.get().toProperties());
        String text = values.stringPropertyNames().stream()
                .sorted()
                .map(key -> key + "=" + values.getProperty(key) + "\n")
                .collect(Collectors.joining());
        reply.ok(NoHeader.NONE, Payload.of(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static Switches merged(Switches current, Properties asked) {
        Properties values = current.toProperties();
        values.putAll(asked);
        return Switches.read(new ConfigReader(values, Switches.ALL));
    }
}

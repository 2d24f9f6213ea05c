package dev.perigee.namesrv;

import dev.perigee.loop.InOrder;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.loop.config.ConfigException;
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
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows the settings of this server and changes those that may change while it runs. A change is kept in
 * a file first and in force then; the file that configured the server is never rewritten.
 */
@ThreadSafe
final class ConfigHandlers {
    private static final Logger LOG = LoggerFactory.getLogger(ConfigHandlers.class);
    private static final Set<String> CHANGEABLE = LiveSwitches.CHANGEABLE;
    private static final Set<String> FIXED = fixed();

    private final NameServerConfig config;
    private final LiveSwitches switches;
    private final Executor writer;

    /** @param writer runs one task at a time; the only place where the switches change */
    ConfigHandlers(NameServerConfig config, LiveSwitches switches, Executor writer) {
        this.config = config;
        this.switches = switches;
        this.writer = writer;
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
        forbidden.retainAll(FIXED);
        if (!forbidden.isEmpty()) {
            reply.fail(
                    ResponseCode.NO_PERMISSION,
                    "Can not update config in black list: " + forbidden + " cannot change while the server runs;"
                            + " changeable: " + new TreeSet<>(CHANGEABLE));
            return;
        }
        TreeSet<String> unknown = new TreeSet<>(asked.stringPropertyNames());
        unknown.removeAll(CHANGEABLE);
        asked.keySet().retainAll(CHANGEABLE);
        String by = request.from().remoteAddress();
        try {
            writer.execute(() -> reply.guard(() -> change(asked, unknown, by, reply)));
        } catch (RejectedExecutionException e) {
            reply.fail(ResponseCode.SYSTEM_BUSY, "too many changes are waiting");
        }
    }

    private void change(Properties asked, Set<String> unknown, String by, Reply<NoHeader> reply) {
        try {
            Switches now = switches.change(asked);
            LOG.info(
                    "event=config_changed keys={} unknown={} now={} by={}",
                    new TreeSet<>(asked.stringPropertyNames()),
                    unknown,
                    now,
                    by);
            reply.ok(NoHeader.NONE);
        } catch (ConfigException | IOException e) {
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

    /** Keys that are known and may not change: paths, addresses and what is read once. */
    private static Set<String> fixed() {
        Set<String> fixed = new TreeSet<>(Set.of("configBlackList"));
        NameServerConfig.SETTINGS.forEach(setting -> fixed.add(setting.key()));
        fixed.removeAll(CHANGEABLE);
        return InOrder.copyOf(fixed);
    }
}

package dev.perigee.broker.admin;

import dev.perigee.broker.check.ColdAnswer;
import dev.perigee.broker.config.LiveConfig;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.loop.config.ConfigException;
import dev.perigee.protocol.header.broker.BrokerConfigResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.transport.Payload;
import dev.perigee.store.view.ColdReaders;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows and changes the configuration: 25 and 26. Only the keys of an allow-list change, never a path or an address. */
@ThreadSafe
public final class ConfigHandlers {
    private static final Logger LOG = LoggerFactory.getLogger(ConfigHandlers.class);

    private final LiveConfig config;
    private final ColdReaders coldReaders;
    private final Runnable changed;

    /** {@code changed} is called after each change, on a cold reader. */
    public ConfigHandlers(LiveConfig config, ColdReaders coldReaders, Runnable changed) {
        this.config = config;
        this.coldReaders = coldReaders;
        this.changed = changed;
    }

    /**
     * 25: changes settings, all or none, and keeps the change for the next start. Unknown keys are passed over, as stock
     * brokers do. Writes a file, so it runs on a cold reader.
     */
    public void update(Request<NoHeader> request, Reply<NoHeader> reply) {
        String body = new String(request.copyBody(), StandardCharsets.UTF_8);
        String by = request.from().remoteAddress();
        ColdAnswer.give(coldReaders, reply, () -> update(body, by, reply));
    }

    private void update(String body, String by, Reply<NoHeader> reply) {
        Properties wanted = new Properties();
        try {
            wanted.load(new StringReader(body));
            LiveConfig.Outcome outcome = config.change(wanted);
            if (!outcome.notChangeable().isEmpty()) {
                reply.fail(
                        ResponseCode.NO_PERMISSION,
                        "settings " + outcome.notChangeable() + " cannot be changed while the broker runs; these can: "
                                + LiveConfig.changeableKeys());
                return;
            }
            LOG.info("event=config_changed keys={} unknown={} by={}", outcome.changed(), outcome.unknown(), by);
            changed.run();
            reply.ok(NoHeader.NONE);
        } catch (ConfigException | IOException | IllegalArgumentException e) {
            reply.fail(ResponseCode.SYSTEM_ERROR, String.valueOf(e.getMessage()));
        }
    }

    /** 26: every setting as it is in force, sorted, one {@code key=value} a line. */
    public void show(Request<NoHeader> request, Reply<BrokerConfigResponse> reply) {
        StringBuilder text = new StringBuilder();
        config.texts()
                .forEach((key, value) ->
                        text.append(key).append('=').append(value).append('\n'));
        reply.ok(
                new BrokerConfigResponse(Json.writeText(config.version())),
                Payload.of(text.toString().getBytes(StandardCharsets.UTF_8)));
    }
}

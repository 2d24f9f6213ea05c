package dev.perigee.broker.config;

import dev.perigee.loop.Immutable;
import java.util.List;

/**
 * How the broker makes itself known.
 *
 * @param nameServers addresses of every NameServer, {@code host:port}
 * @param periodMs time between full registrations
 * @param timeoutMs longest wait for one NameServer
 * @param compressed whether bodies are compressed
 * @param always false: ask each NameServer first whether anything changed
 */
@Immutable
public record RegistrationSettings(
        List<String> nameServers, int periodMs, int timeoutMs, boolean compressed, boolean always) {
    public RegistrationSettings {
        nameServers = List.copyOf(nameServers);
    }
}

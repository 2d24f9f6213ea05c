package dev.perigee.client.admin;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.client.ConsumerRunningInfo;
import java.util.Optional;

/**
 * One member of a consumer group.
 *
 * @param client as brokers see it
 * @param state what it says about itself; empty when it gave no answer
 * @param silence why there is no answer; empty when there is one
 */
@Immutable
public record GroupMember(ConnectedClient client, Optional<ConsumerRunningInfo> state, String silence) {}

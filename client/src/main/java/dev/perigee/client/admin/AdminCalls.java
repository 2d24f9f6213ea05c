package dev.perigee.client.admin;

import dev.perigee.client.instance.ClientInstance;
import dev.perigee.loop.Immutable;
import dev.perigee.remoting.call.Deadline;

/**
 * Begins the operations of an admin client.
 *
 * @param instance the client
 * @param timeoutMs deadline of one operation, all its questions together
 */
@Immutable
record AdminCalls(ClientInstance instance, long timeoutMs) {
    /** An operation that begins now. */
    AdminOperation begin() {
        return new AdminOperation(instance, Deadline.after(instance.clock(), timeoutMs));
    }
}

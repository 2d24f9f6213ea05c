package dev.perigee.client.send;

import dev.perigee.client.error.FailureSite;
import dev.perigee.loop.Immutable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A send under way.
 *
 * @param result what becomes of it
 * @param where tells, at any time, where it stands
 */
@Immutable
public record Sending(CompletableFuture<SendResult> result, Supplier<FailureSite> where) {
    /** A send that could not begin. */
    public static Sending failed(Exception failure, FailureSite site) {
        return new Sending(CompletableFuture.failedFuture(failure), () -> site);
    }
}

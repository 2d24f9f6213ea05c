package dev.perigee.remoting;

import org.jspecify.annotations.Nullable;

/** The one place where identity and permission are checked, before any handler. Called on event loops; must not block. */
public interface Gate {
    /**
     * The answer to a request that may not pass.
     *
     * @param code response code
     * @param remark what was refused, and why
     */
    record Refusal(int code, String remark) {}

    /** Lets everything pass. */
    Gate OPEN = request -> null;

    /** Null when the request may pass. */
    @Nullable
    Refusal check(Request<?> request);
}

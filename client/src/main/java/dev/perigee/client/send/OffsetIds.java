package dev.perigee.client.send;

import dev.perigee.loop.ThreadSafe;
import org.jspecify.annotations.Nullable;

/** The offset ids an answer names, comma separated; taken apart once, when the first of them is asked for. */
@ThreadSafe
final class OffsetIds {
    private final String joined;
    /** Two threads may both take the text apart; they come to the same. */
    private volatile String @Nullable [] apart;

    /** @param joined null when the answer names none */
    OffsetIds(@Nullable String joined) {
        this.joined = joined == null ? "" : joined;
    }

    /** The id of one message of a batch; empty when the answer names fewer. */
    String of(int index) {
        String[] ids = apart;
        if (ids == null) {
            ids = joined.split(",", -1);
            apart = ids;
        }
        return index < ids.length ? ids[index] : "";
    }
}

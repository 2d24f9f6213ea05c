package dev.perigee.store.append;

import dev.perigee.loop.OwnedBy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A unit handed to the log, and what became of it. */
@OwnedBy("the test")
final class Sent implements AppendListener {
    private final List<String> bodies;
    private @Nullable AppendRequest request;
    private @Nullable AppendResult result;
    private int completions;

    Sent(List<String> bodies) {
        this.bodies = bodies;
    }

    @Override
    public void completed(AppendRequest done, AppendResult how) {
        request = done;
        result = how;
        completions++;
    }

    List<String> bodies() {
        return bodies;
    }

    /** Null while it is under way. */
    @Nullable
    AppendResult result() {
        return result;
    }

    int completions() {
        return completions;
    }

    AppendRequest request() {
        AppendRequest done = request;
        if (done == null) {
            throw new IllegalStateException("not completed");
        }
        return done;
    }

    void refuse(AppendResult how) {
        result = how;
        completions++;
    }
}

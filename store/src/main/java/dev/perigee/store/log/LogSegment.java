package dev.perigee.store.log;

import dev.perigee.loop.ThreadSafe;

/** One file of the log. */
@ThreadSafe
@SuppressWarnings("DoNotCallSuggester") // bodies follow
final class LogSegment {
    void release() {
        throw new UnsupportedOperationException();
    }
}

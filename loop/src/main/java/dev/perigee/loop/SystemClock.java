package dev.perigee.loop;

/** The clock of this machine. */
@ThreadSafe
enum SystemClock implements Clock {
    INSTANCE;

    @Override
    public long wallMs() {
        return System.currentTimeMillis();
    }

    @Override
    public long monotonicNs() {
        return System.nanoTime();
    }
}

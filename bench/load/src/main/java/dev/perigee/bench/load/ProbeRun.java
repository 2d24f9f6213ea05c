package dev.perigee.bench.load;

import java.io.PrintStream;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Begins a synchronous send every few milliseconds, whether those before have ended or not, and says of each when it began and ended, in
 * milliseconds since 1970: {@code OK begin end}, or {@code FAILED begin end why}. So nobody who hangs at a dead broker keeps others from
 * finding the next one. Ends with the window, or when whoever started it ends it.
 */
final class ProbeRun {
    /** Beyond it none begins until one has ended. */
    private static final int AT_MOST = 2_000;

    private final LoadPlan plan;
    private final Target target;
    private final PrintStream out;
    private final Semaphore free = new Semaphore(AT_MOST);

    ProbeRun(LoadPlan plan, Target target, PrintStream out) {
        this.plan = plan;
        this.target = target;
        this.out = out;
    }

    void run() throws InterruptedException {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(plan.windowMs());
        Pace pace = new Pace((int) Math.max(1, TimeUnit.SECONDS.toMillis(1) / plan.everyMs()));
        byte[] body = new byte[plan.sizeBytes()];
        for (long i = 0; System.nanoTime() < endNs; i++) {
            pace.await();
            free.acquire();
            String topic = plan.topicAt(i);
            Thread probe = new Thread(() -> probe(topic, body), "probe");
            probe.setDaemon(true);
            probe.start();
        }
        free.acquire(AT_MOST); // all have ended
    }

    private void probe(String topic, byte[] body) {
        long beginMs = System.currentTimeMillis();
        try {
            target.send(topic, body);
            print("OK " + beginMs + " " + System.currentTimeMillis());
        } catch (Exception e) {
            String why = String.valueOf(e).replaceAll("\\s+", " ");
            print("FAILED " + beginMs + " " + System.currentTimeMillis() + " " + why);
        } finally {
            free.release();
        }
    }

    private void print(String line) {
        synchronized (out) {
            out.println(line);
            out.flush();
        }
    }
}

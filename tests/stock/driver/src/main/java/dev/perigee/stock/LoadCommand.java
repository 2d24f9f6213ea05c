package dev.perigee.stock;

import com.alibaba.fastjson.JSONObject;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.message.Message;

/** {@code load}: sends synchronously from many threads for a while; for benches and for running faults under load. */
final class LoadCommand {
    /** Buckets of 1 microsecond up to 100 ms; what is slower counts as the last. */
    private static final int BUCKETS = 100_000;

    private final Producers producers;

    LoadCommand(Producers producers) {
        this.producers = producers;
    }

    JSONObject run(Request request) throws Exception {
        Tally tally = new Tally();
        DefaultMQProducer producer = producers.of(request);
        long start = System.nanoTime();
        long end = start + request.big("millis", 1_000) * 1_000_000L;
        Thread[] threads = new Thread[request.number("threads", 1)];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> sendUntil(end, producer, request, tally), "load-" + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return tally.shape(System.nanoTime() - start);
    }

    private static void sendUntil(long end, DefaultMQProducer producer, Request request, Tally tally) {
        byte[] body = Messages.body(request, 0);
        String topic = request.text("topic");
        for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
            try {
                SendResult result = producer.send(new Message(topic, body));
                tally.sent(result.getSendStatus() == SendStatus.SEND_OK, System.nanoTime() - now);
            } catch (Exception failure) {
                tally.sent(false, System.nanoTime() - now);
            }
        }
    }

    private static final class Tally {
        private final AtomicLong failed = new AtomicLong();
        private final long[] micros = new long[BUCKETS + 1];
        private long sent;

        synchronized void sent(boolean well, long nanos) {
            if (!well) {
                failed.incrementAndGet();
                return;
            }
            sent++;
            micros[(int) Math.min(BUCKETS, nanos / 1_000)]++;
        }

        synchronized JSONObject shape(long nanos) {
            JSONObject shape = new JSONObject();
            shape.put("sent", sent);
            shape.put("failed", failed.get());
            shape.put("perSecond", sent * 1_000_000_000L / Math.max(1, nanos));
            shape.put("p50Us", percentile(0.50));
            shape.put("p99Us", percentile(0.99));
            shape.put("p999Us", percentile(0.999));
            return shape;
        }

        private int percentile(double share) {
            long wanted = (long) Math.ceil(Arrays.stream(micros).sum() * share);
            long seen = 0;
            for (int i = 0; i < micros.length; i++) {
                seen += micros[i];
                if (seen >= wanted) {
                    return i;
                }
            }
            return BUCKETS;
        }
    }
}

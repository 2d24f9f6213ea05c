package dev.perigee.stock;

import com.alibaba.fastjson.JSONObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.common.message.MessageExt;

/** A listener that reports what it gets and then succeeds, fails, or dawdles as the script says. */
final class ScriptedListener {
    private final String name;
    private final Output output;
    private final AtomicLong seen = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong failuresLeft = new AtomicLong();
    private volatile long latencyMs;
    private volatile String onlyBody = "";
    private volatile boolean throwing;
    private volatile boolean quiet;
    private volatile int retryLevel;
    private volatile long suspendMs;
    private volatile String replyText = "";
    private Replier replier; // set before the consumer starts

    ScriptedListener(String name, Output output) {
        this.name = name;
        this.output = output;
    }

    /** What is consumed is answered, too. */
    void repliesBy(Replier given) {
        replier = given;
    }

    /**
     * {@code fail}: how many deliveries fail from now on, -1 for all; {@code failBody}: only those of messages with that body;
     * {@code reply}: the text of replies.
     */
    void behave(Request request) {
        failuresLeft.set(request.big("fail", 0));
        onlyBody = request.text("failBody", "");
        latencyMs = request.big("latencyMs", 0);
        throwing = request.flag("throwing");
        quiet = request.flag("quiet");
        retryLevel = request.number("retryLevel", 0);
        suspendMs = request.big("suspendMs", -1);
        replyText = request.text("reply", "");
    }

    JSONObject counts() {
        JSONObject shape = new JSONObject();
        shape.put("seen", seen.get());
        shape.put("failed", failed.get());
        return shape;
    }

    ConsumeConcurrentlyStatus consume(List<MessageExt> messages, ConsumeConcurrentlyContext context) {
        boolean well = take(messages);
        if (!well && retryLevel != 0) {
            context.setDelayLevelWhenNextConsume(retryLevel);
        }
        return well ? ConsumeConcurrentlyStatus.CONSUME_SUCCESS : ConsumeConcurrentlyStatus.RECONSUME_LATER;
    }

    ConsumeOrderlyStatus consumeInOrder(List<MessageExt> messages, ConsumeOrderlyContext context) {
        boolean well = take(messages);
        if (!well && suspendMs >= 0) {
            context.setSuspendCurrentQueueTimeMillis(suspendMs);
        }
        return well ? ConsumeOrderlyStatus.SUCCESS : ConsumeOrderlyStatus.SUSPEND_CURRENT_QUEUE_A_MOMENT;
    }

    private boolean take(List<MessageExt> messages) {
        boolean fails = messages.stream().anyMatch(this::mayFail) && failsNow();
        seen.addAndGet(messages.size());
        if (!quiet) {
            messages.forEach(message -> report(message, fails));
        }
        dawdle();
        if (replier != null && !fails) {
            messages.forEach(message -> replier.reply(message, replyText));
        }
        if (fails) {
            failed.addAndGet(messages.size());
            if (throwing) {
                throw new IllegalStateException("failing as the script says");
            }
        }
        return !fails;
    }

    private boolean mayFail(MessageExt message) {
        return onlyBody.isEmpty() || onlyBody.equals(new String(message.getBody(), StandardCharsets.UTF_8));
    }

    private boolean failsNow() {
        long left = failuresLeft.get();
        while (left > 0 && !failuresLeft.compareAndSet(left, left - 1)) {
            left = failuresLeft.get();
        }
        return left != 0;
    }

    private void report(MessageExt message, boolean fails) {
        JSONObject shape = Shapes.message(message);
        shape.put("consumer", name);
        shape.put("failing", fails);
        shape.put("receivedAt", System.currentTimeMillis());
        shape.put("thread", Thread.currentThread().getName());
        output.event("message", shape);
    }

    private void dawdle() {
        if (latencyMs > 0) {
            try {
                new CountDownLatch(1).await(latencyMs, TimeUnit.MILLISECONDS);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }
    }
}

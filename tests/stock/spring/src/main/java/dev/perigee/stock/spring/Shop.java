package dev.perigee.stock.spring;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.spring.core.RocketMQLocalRequestCallback;
import org.apache.rocketmq.spring.core.RocketMQTemplate;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.MessageBuilder;

/**
 * Sends in every way the template has, waits for what its listeners get, and ends. Each line it prints that begins with {@code shop} is a
 * thing it saw; the exit code is 0 when all came that had to.
 */
@SpringBootApplication
public class Shop {
    static final String ORDERS = "shop-orders";
    static final String QUESTIONS = "shop-questions";

    private static final long SEND_MS = 20_000;
    private static final int ONE_SECOND = 1;
    private static final long DELAY_MS = 2_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Takes the address of the NameServer. */
    public static void main(String[] args) throws Exception {
        SpringApplication application = new SpringApplication(Shop.class);
        try (ConfigurableApplicationContext context =
                application.run("--rocketmq.name-server=" + args[0], "--spring.main.banner-mode=off")) {
            RocketMQTemplate template = context.getBean(RocketMQTemplate.class);
            Seen seen = context.getBean(Seen.class);
            plain(template);
            later(template, seen);
            inTransaction(template, seen);
            System.out.println("shop was answered " + ask(template, "how much?"));
            seen.await(PATIENCE, "sync", "async", "ordered", "level", "time", "committed", "open");
        }
        System.exit(0);
    }

    private static void plain(RocketMQTemplate template) throws Exception {
        say("sync", template.syncSend(ORDERS + ":tagA", "sync"));
        CompletableFuture<SendResult> sent = new CompletableFuture<>();
        template.asyncSend(ORDERS, "async", new SendCallback() {
            @Override
            public void onSuccess(SendResult result) {
                sent.complete(result);
            }

            @Override
            public void onException(Throwable failure) {
                sent.completeExceptionally(failure);
            }
        });
        say("async", sent.get(SEND_MS, TimeUnit.MILLISECONDS));
        say("ordered", template.syncSendOrderly(ORDERS, "ordered", "key"));
    }

    private static void later(RocketMQTemplate template, Seen seen) {
        seen.notBefore("level", System.currentTimeMillis() + 1_000);
        say("level", template.syncSend(ORDERS, message("level"), SEND_MS, ONE_SECOND));
        seen.notBefore("time", System.currentTimeMillis() + DELAY_MS);
        say("time", template.syncSendDelayTimeMills(ORDERS, "time", DELAY_MS));
    }

    /**
     * Asks by queue, and not synchronously: the client of this starter, 5.3.2, ends every synchronous request without its answer as soon as
     * it is sent, and the callback of one without a queue as well.
     */
    private static String ask(RocketMQTemplate template, String question) throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        template.sendAndReceive(
                QUESTIONS,
                question,
                new RocketMQLocalRequestCallback<String>() {
                    @Override
                    public void onSuccess(String text) {
                        answer.complete(text);
                    }

                    @Override
                    public void onException(Throwable failure) {
                        answer.completeExceptionally(failure);
                    }
                },
                "key",
                SEND_MS);
        return answer.get(SEND_MS, TimeUnit.MILLISECONDS);
    }

    private static void inTransaction(RocketMQTemplate template, Seen seen) {
        for (String body : new String[] {"committed", "rolled back", "open"}) {
            say(body, template.sendMessageInTransaction(ORDERS, message(body), seen));
        }
    }

    private static Message<String> message(String body) {
        return MessageBuilder.withPayload(body).build();
    }

    private static void say(String body, SendResult result) {
        System.out.println("shop sent " + body + " " + result.getSendStatus());
    }
}

package dev.perigee.stock.spring;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.spring.annotation.RocketMQMessageListener;
import org.apache.rocketmq.spring.annotation.RocketMQTransactionListener;
import org.apache.rocketmq.spring.core.RocketMQListener;
import org.apache.rocketmq.spring.core.RocketMQLocalTransactionListener;
import org.apache.rocketmq.spring.core.RocketMQLocalTransactionState;
import org.apache.rocketmq.spring.core.RocketMQReplyListener;
import org.apache.rocketmq.spring.core.RocketMQTemplate;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.stereotype.Component;

/**
 * Sends, asks for a reply and sends in a transaction that only a check commits, and prints a line for each. Where the cluster is, the group
 * of the producer and the names of two topics, {@code program.plain} and {@code program.asked}, come as system properties.
 */
@SpringBootApplication
public class SpringProgram {
    private static final long PATIENCE_MS = 60_000;

    /** Runs to the end. */
    public static void main(String[] args) throws Exception {
        SpringApplication application = new SpringApplication(SpringProgram.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        try (ConfigurableApplicationContext context = application.run(args)) {
            RocketMQTemplate template = context.getBean(RocketMQTemplate.class);
            Reader reader = context.getBean(Reader.class);
            String plain = System.getProperty("program.plain");
            System.out.println("sent " + template.syncSend(plain, "hello").getSendStatus());
            System.out.println("got " + reader.next());
            System.out.println("reply "
                    + template.sendAndReceive(System.getProperty("program.asked"), "price?", String.class, PATIENCE_MS));
            Message<String> half = MessageBuilder.withPayload("paid").build();
            System.out.println("half "
                    + template.sendMessageInTransaction(plain, half, null).getLocalTransactionState());
            System.out.println("committed " + reader.next());
        }
    }

    /** Keeps what it gets. */
    @Component
    @RocketMQMessageListener(topic = "${program.plain}", consumerGroup = "spring-readers")
    public static class Reader implements RocketMQListener<String> {
        private final BlockingQueue<String> got = new LinkedBlockingQueue<>();

        @Override
        public void onMessage(String body) {
            got.add(body);
        }

        String next() throws InterruptedException {
            return got.poll(PATIENCE_MS, TimeUnit.MILLISECONDS);
        }
    }

    /** Answers what it is asked. */
    @Component
    @RocketMQMessageListener(topic = "${program.asked}", consumerGroup = "spring-repliers")
    public static class Replier implements RocketMQReplyListener<String, String> {
        @Override
        public String onMessage(String body) {
            return "reply to " + body;
        }
    }

    /** Knows nothing until it is asked. */
    @RocketMQTransactionListener
    @SuppressWarnings("rawtypes") // as the interface has it
    public static class Transactions implements RocketMQLocalTransactionListener {
        @Override
        public RocketMQLocalTransactionState executeLocalTransaction(Message message, Object argument) {
            return RocketMQLocalTransactionState.UNKNOWN;
        }

        @Override
        public RocketMQLocalTransactionState checkLocalTransaction(Message message) {
            return RocketMQLocalTransactionState.COMMIT;
        }
    }
}

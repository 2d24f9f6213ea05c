package dev.perigee.stock.spring;

import java.nio.charset.StandardCharsets;
import org.apache.rocketmq.spring.annotation.RocketMQTransactionListener;
import org.apache.rocketmq.spring.core.RocketMQLocalTransactionListener;
import org.apache.rocketmq.spring.core.RocketMQLocalTransactionState;
import org.springframework.messaging.Message;

/** Decides as the body says; what is left open is committed when the broker asks. */
@RocketMQTransactionListener
@SuppressWarnings("rawtypes") // so is the interface
public class Transactions implements RocketMQLocalTransactionListener {
    @Override
    public RocketMQLocalTransactionState executeLocalTransaction(Message message, Object argument) {
        switch (body(message)) {
            case "committed":
                return RocketMQLocalTransactionState.COMMIT;
            case "rolled back":
                return RocketMQLocalTransactionState.ROLLBACK;
            default:
                return RocketMQLocalTransactionState.UNKNOWN;
        }
    }

    @Override
    public RocketMQLocalTransactionState checkLocalTransaction(Message message) {
        System.out.println("shop was asked about " + body(message));
        return RocketMQLocalTransactionState.COMMIT;
    }

    private static String body(Message<?> message) {
        return message.getPayload() instanceof byte[]
                ? new String((byte[]) message.getPayload(), StandardCharsets.UTF_8)
                : String.valueOf(message.getPayload());
    }
}

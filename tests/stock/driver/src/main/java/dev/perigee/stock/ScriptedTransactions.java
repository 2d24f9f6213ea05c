package dev.perigee.stock;

import com.alibaba.fastjson.JSONObject;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.client.producer.LocalTransactionState;
import org.apache.rocketmq.client.producer.TransactionListener;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;

/**
 * Does every local transaction as the argument of its send says, a state or {@code THROW}, and answers every check as the script says, after
 * reporting it as a message of the producer's name.
 */
final class ScriptedTransactions implements TransactionListener {
    private static final String THROW = "THROW";

    private final String name;
    private final LocalTransactionState otherwise;
    private final Output output;
    private final Map<String, LocalTransactionState> decided = new ConcurrentHashMap<>();

    ScriptedTransactions(String name, String check, Output output) {
        this.name = name;
        this.otherwise = LocalTransactionState.valueOf(check);
        this.output = output;
    }

    void decide(String body, String check) {
        decided.put(body, LocalTransactionState.valueOf(check));
    }

    @Override
    public LocalTransactionState executeLocalTransaction(Message message, Object argument) {
        if (THROW.equals(argument)) {
            throw new IllegalStateException("failing as the script says");
        }
        return LocalTransactionState.valueOf(String.valueOf(argument));
    }

    @Override
    public LocalTransactionState checkLocalTransaction(MessageExt message) {
        JSONObject shape = Shapes.message(message);
        shape.put("consumer", name);
        shape.put("receivedAt", System.currentTimeMillis());
        output.event("message", shape);
        return decided.getOrDefault(new String(message.getBody(), StandardCharsets.UTF_8), otherwise);
    }
}

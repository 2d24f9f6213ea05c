package dev.perigee.stock;

import com.alibaba.fastjson.JSONObject;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.RequestCallback;
import org.apache.rocketmq.client.producer.selector.SelectMessageQueueByHash;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;

/** {@code request}: the ways a stock producer can ask for a reply; answers the reply, or fails as the client does. */
final class RequestCommand {
    private static final long PATIENCE_MS = 5_000;

    private final Producers producers;

    RequestCommand(Producers producers) {
        this.producers = producers;
    }

    JSONObject ask(Request request) throws Exception {
        DefaultMQProducer producer = producers.of(request);
        Message question = Messages.of(request).get(0);
        long timeout = request.big("timeoutMs", PATIENCE_MS);
        String mode = request.text("mode", "sync");
        switch (mode) {
            case "sync":
                return shape(producer.request(question, timeout));
            case "queue":
                return shape(producer.request(question, Shapes.queueOf(request), timeout));
            case "selector":
                return shape(
                        producer.request(question, new SelectMessageQueueByHash(), request.text("argument"), timeout));
            case "async":
                return shape(async(producer, question, timeout));
            default:
                throw new IllegalArgumentException("no such mode: " + mode);
        }
    }

    private static Message async(DefaultMQProducer producer, Message question, long timeout) throws Exception {
        CompletableFuture<Message> reply = new CompletableFuture<>();
        producer.request(question, new Completing(reply), timeout);
        try {
            return reply.get();
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof Exception) {
                throw (Exception) failure.getCause();
            }
            throw failure;
        }
    }

    private static JSONObject shape(Message reply) {
        return Shapes.one("reply", Shapes.message((MessageExt) reply));
    }

    /** Clients call back twice: with nothing, when the request is stored, and with the reply or a failure. */
    private static final class Completing implements RequestCallback {
        private final CompletableFuture<Message> reply;

        Completing(CompletableFuture<Message> reply) {
            this.reply = reply;
        }

        @Override
        public void onSuccess(Message message) {
            if (message != null) {
                reply.complete(message);
            }
        }

        @Override
        public void onException(Throwable failure) {
            reply.completeExceptionally(failure);
        }
    }
}

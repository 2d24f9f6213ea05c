package dev.perigee.stock;

import com.alibaba.fastjson.JSONArray;
import com.alibaba.fastjson.JSONObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.MessageQueueSelector;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.selector.SelectMessageQueueByHash;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageQueue;

/** {@code send}: the ways a stock producer can send, one result or failure per message, in order. */
final class SendCommand {
    private final Producers producers;

    SendCommand(Producers producers) {
        this.producers = producers;
    }

    JSONObject send(Request request) throws Exception {
        DefaultMQProducer producer = producers.of(request);
        List<Message> messages = Messages.of(request);
        String mode = request.text("mode", "sync");
        switch (mode) {
            case "async":
                return async(producer, messages, request);
            case "oneway":
                for (Message message : messages) {
                    producer.sendOneway(message);
                }
                return Shapes.one("sent", messages.size());
            case "batch":
                return eachOf(List.of(messages), batch -> producer.send(batch, timeout(request, producer)));
            default:
                return eachOf(messages, way(mode, producer, request));
        }
    }

    private static Way<Message> way(String mode, DefaultMQProducer producer, Request request) {
        long timeout = timeout(request, producer);
        switch (mode) {
            case "sync":
                return message -> producer.send(message, timeout);
            case "selector":
                MessageQueueSelector byHash = new SelectMessageQueueByHash();
                return message -> producer.send(message, byHash, request.text("argument"), timeout);
            case "queue":
                MessageQueue queue = Shapes.queueOf(request);
                return message -> producer.send(message, queue, timeout);
            case "transaction":
                return message -> producer.sendMessageInTransaction(message, request.text("argument", ""));
            default:
                throw new IllegalArgumentException("no such mode: " + mode);
        }
    }

    private static long timeout(Request request, DefaultMQProducer producer) {
        return request.big("timeoutMs", producer.getSendMsgTimeout());
    }

    private static <M> JSONObject eachOf(List<M> messages, Way<M> way) {
        JSONArray results = new JSONArray();
        for (M message : messages) {
            try {
                results.add(Shapes.sent(way.send(message)));
            } catch (Exception failure) {
                results.add(Shapes.one("error", Shapes.failure(failure)));
            }
        }
        return Shapes.one("results", results);
    }

    private static JSONObject async(DefaultMQProducer producer, List<Message> messages, Request request)
            throws InterruptedException {
        Semaphore window = new Semaphore(request.number("window", 256));
        List<CompletableFuture<JSONObject>> answers = new ArrayList<>();
        for (Message message : messages) {
            CompletableFuture<JSONObject> answer = new CompletableFuture<>();
            answers.add(answer);
            window.acquire();
            answer.whenComplete((shape, failure) -> window.release());
            try {
                producer.send(message, new Completing(answer), timeout(request, producer));
            } catch (Exception failure) {
                answer.complete(Shapes.one("error", Shapes.failure(failure)));
            }
        }
        JSONArray results = new JSONArray();
        answers.forEach(answer -> results.add(answer.join()));
        return Shapes.one("results", results);
    }

    /** One way of sending. */
    private interface Way<M> {
        SendResult send(M message) throws Exception;
    }

    private static final class Completing implements SendCallback {
        private final CompletableFuture<JSONObject> answer;

        Completing(CompletableFuture<JSONObject> answer) {
            this.answer = answer;
        }

        @Override
        public void onSuccess(SendResult result) {
            answer.complete(Shapes.sent(result));
        }

        @Override
        public void onException(Throwable failure) {
            answer.complete(Shapes.one("error", Shapes.failure(failure)));
        }
    }
}

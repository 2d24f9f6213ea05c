package dev.perigee.sim.kind;

import dev.perigee.client.error.Answered;
import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.send.HalfListHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageDecoder;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.transaction.HalfMessage;
import dev.perigee.protocol.transaction.HalfMessageList;
import dev.perigee.remoting.call.Answer;
import dev.perigee.sim.cluster.Cluster;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What the views of a broker say, read as clients read it.
 *
 * @param cluster lets time pass until the broker answers
 * @param client asks
 * @param topic the topic whose queues are read
 */
record BrokerContents(Cluster cluster, ClientInstance client, String topic) {
    private static final long ANSWER_MS = 60_000;
    private static final int HALVES = 1_000;
    private static final int PULL_MESSAGES = 32;
    /** Take what is there now, and commit nothing. */
    private static final int SUBSCRIPTION_GIVEN = 4;

    /** One line for each message of each queue, and for each half message nobody has decided about. */
    List<String> lines(int queues) throws Exception {
        List<String> lines = new ArrayList<>();
        for (int queue = 0; queue < queues; queue++) {
            readQueue(queue, lines);
        }
        HalfListHeader every = new HalfListHeader(null, null, -1, HALVES);
        Json.read(ask(Rpcs.LIST_HALF_MESSAGES, every).body(), HalfMessageList.class).halves().stream()
                .map(HalfMessage::uniqueKey)
                .sorted()
                .forEach(key -> lines.add("half " + key));
        return lines;
    }

    private void readQueue(int queue, List<String> lines) throws Exception {
        long offset = 0;
        while (true) {
            PullMessageHeader header = new PullMessageHeader(
                    "reader",
                    topic,
                    queue,
                    offset,
                    PULL_MESSAGES,
                    SUBSCRIPTION_GIVEN,
                    0,
                    0,
                    "*",
                    0,
                    "TAG",
                    0,
                    0,
                    null,
                    null);
            Answer<?> answer = ask(Rpcs.PULL_MESSAGE, header);
            if (answer.code() != ResponseCode.SUCCESS) {
                lines.add("queue " + queue + " ends at " + offset);
                return;
            }
            for (MessageExt message : MessageDecoder.decodeAll(ByteBuffer.wrap(answer.body()), "broker-a")) {
                lines.add("queue " + queue + "/" + message.queueOffset() + " " + message.offsetMessageId() + " "
                        + message.bodyText());
                offset = message.queueOffset() + 1;
            }
        }
    }

    private <Q extends Record, R extends Record> Answer<R> ask(Rpc<Q, R> rpc, Q header) throws Exception {
        String address = client.routes().masterAddress("broker-a").orElseThrow();
        long limitMs = cluster.clock().monotonicMs() + ANSWER_MS;
        while (cluster.clock().monotonicMs() < limitMs) {
            CompletableFuture<?> answered = client.calls().ask(BrokerCalls.Question.of(address, rpc, header, topic));
            if (cluster.passUntil(answered::isDone, ANSWER_MS, 10) && !answered.isCompletedExceptionally()) {
                @SuppressWarnings("unchecked") // the answer to that question
                var known = (Answered<R>) answered.join();
                return known.answer();
            }
        }
        throw new AssertionError("no answer to " + rpc + " " + header);
    }
}

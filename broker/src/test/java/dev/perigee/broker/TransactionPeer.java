package dev.perigee.broker;

import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.ProducerData;
import dev.perigee.protocol.header.send.CheckTransactionHeader;
import dev.perigee.protocol.header.send.EndTransactionHeader;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MalformedMessageException;
import dev.perigee.protocol.message.MessageDecoder;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToIntFunction;

/** A producer of transactions at a stepped broker, which keeps what it is asked. */
final class TransactionPeer {
    static final int COMMIT = 8;
    static final int ROLLBACK = 12;
    static final int UNKNOWN = 0;

    /** A question of the broker. */
    record Check(CheckTransactionHeader header, MessageExt half, long atMs) {}

    /** A half as the answer to its send tells of it. */
    record Half(String key, long queueOffset, long commitLogOffset) {}

    final RemotingClient client;
    final List<Check> checks = new ArrayList<>();
    private final SteppedBroker broker;
    private final String group;

    /** What it answers to a check; nothing when negative. */
    ToIntFunction<Check> outcome = check -> UNKNOWN;

    TransactionPeer(SteppedBroker broker, String group) {
        this.broker = broker;
        this.group = group;
        this.client = broker.newClient();
        client.onRequest(HandlerTable.builder()
                .on(Rpcs.CHECK_TRANSACTION_STATE, (request, reply) -> checked(request.header(), request.copyBody()))
                .build());
    }

    private void checked(CheckTransactionHeader header, byte[] body) {
        Check check;
        try {
            MessageExt half =
                    MessageDecoder.decodeAll(ByteBuffer.wrap(body), "broker-a").get(0);
            check = new Check(header, half, broker.clock.nowMs);
        } catch (MalformedMessageException e) {
            throw new AssertionError(e);
        }
        checks.add(check);
        int answer = outcome.applyAsInt(check);
        if (answer >= 0) {
            CompletableFuture<?> unused = broker.call(
                    client,
                    Rpcs.END_TRANSACTION,
                    new EndTransactionHeader(
                            header.topic(),
                            group,
                            header.tranStateTableOffset(),
                            header.commitLogOffset(),
                            answer,
                            true,
                            String.valueOf(header.msgId()),
                            header.transactionId()),
                    null);
        }
    }

    void heartbeat() throws Exception {
        broker.run(broker.call(
                client,
                Rpcs.HEART_BEAT,
                NoHeader.NONE,
                Json.write(new HeartbeatData(
                        "peer-" + System.identityHashCode(this),
                        Set.of(new ProducerData(group)),
                        Set.of(),
                        0,
                        false))));
    }

    /** Sends a half; further properties as {@code name=value;}. */
    CompletableFuture<Answer<SendMessageResponse>> send(String topic, String key, byte[] body, String properties) {
        return broker.call(client, Rpcs.SEND_MESSAGE_V2, sending(group, topic, key, properties), body);
    }

    /** The header of a half; further properties as {@code name=value;}. */
    static SendMessageHeader sending(String group, String topic, String key, String properties) {
        String text = "TRAN_MSG=true;PGROUP=" + group + ";UNIQ_KEY=" + key + ";" + properties;
        return new SendMessageHeader(
                group,
                topic,
                "TBW102",
                4,
                0,
                4,
                1_760_000_000_000L,
                7,
                PropertyText.of(text.replace('=', '\u0001').replace(';', '\u0002')),
                0,
                false,
                -1,
                false,
                null);
    }

    Half half(String topic, String key, String properties) throws Exception {
        return half(topic, key, ("body of " + key).getBytes(StandardCharsets.UTF_8), properties);
    }

    Half half(String topic, String key, byte[] body, String properties) throws Exception {
        return of(key, broker.run(send(topic, key, body, properties)));
    }

    static Half of(String key, Answer<SendMessageResponse> answer) {
        if (answer.code() != 0) {
            throw new AssertionError(answer.code() + " " + answer.remarkText());
        }
        return new Half(
                key,
                answer.require().queueOffset(),
                MessageId.parse(TestBroker.messageId(answer)).physicalOffset());
    }

    EndTransactionHeader ending(Half half, int outcome, boolean fromCheck) {
        return ending(group, half, outcome, fromCheck);
    }

    static EndTransactionHeader ending(String group, Half half, int outcome, boolean fromCheck) {
        return new EndTransactionHeader(
                "T", group, half.queueOffset(), half.commitLogOffset(), outcome, fromCheck, half.key(), half.key());
    }

    CompletableFuture<Answer<NoHeader>> end(Half half, int outcome) {
        return end(ending(half, outcome, false));
    }

    CompletableFuture<Answer<NoHeader>> end(EndTransactionHeader header) {
        return broker.call(client, Rpcs.END_TRANSACTION, header, null);
    }

    Answer<NoHeader> ended(Half half, int outcome) throws Exception {
        return broker.run(end(half, outcome));
    }
}

package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.send.SendBackHeader;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageDecoder;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The requests by which a consumer's messages fail and come again, one by one, to one broker. */
final class RetryCalls implements AutoCloseable {
    /** A group that every broker has from the start. */
    static final String GROUP = "TOOLS_CONSUMER";

    static final String RETRIES = "%RETRY%" + GROUP;
    static final String DEAD = "%DLQ%" + GROUP;
    static final String FAILING = "failing";
    private static final long CALL_MS = 60_000;

    private final EventLoops loops = EventLoops.start("retries", 1);
    private final RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system());
    private final String address;

    RetryCalls(String address) {
        this.address = address;
    }

    /** Sends a message and lets it fail: it is to come again after the delay of this level. */
    void fail(String body, int level) throws Exception {
        sendBack(send(FAILING, body), level);
    }

    /** Gives the log offset. */
    long send(String topic, String body) throws Exception {
        SendMessageHeader header = new SendMessageHeader(
                "p", topic, "TBW102", 1, 0, 0, 1, 0, PropertyText.EMPTY, 0, false, -1, false, null);
        Answer<SendMessageResponse> answer = call(Rpcs.SEND_MESSAGE_V2, header, body.getBytes(StandardCharsets.UTF_8));
        return MessageId.parse(Objects.requireNonNull(answer.require().msgId())).physicalOffset();
    }

    void sendBack(long offset, int level) throws Exception {
        SendBackHeader header = new SendBackHeader(offset, GROUP, level, null, FAILING, false, null, null);
        assertThat(call(Rpcs.CONSUMER_SEND_MSG_BACK, header, new byte[0]).code())
                .isZero();
    }

    /** What queue 0 of a topic holds, from its first message on. */
    List<MessageExt> contents(String topic) throws Exception {
        return contents(topic, 0);
    }

    /** From that offset on, which must not be below the first. */
    List<MessageExt> contents(String topic, long from) throws Exception {
        List<MessageExt> all = new ArrayList<>();
        while (true) {
            PullMessageHeader header = new PullMessageHeader(
                    GROUP, topic, 0, from + all.size(), 32, 4, 0, 0, "*", 0, "TAG", 0, 0, null, null);
            Answer<?> answer = call(Rpcs.PULL_MESSAGE, header, new byte[0]);
            if (answer.code() != 0) {
                return all;
            }
            all.addAll(MessageDecoder.decodeAll(ByteBuffer.wrap(answer.body()), "broker-a"));
        }
    }

    <Q extends Record, R extends Record> Answer<R> call(Rpc<Q, R> rpc, Q header, byte[] body) throws Exception {
        return client.callBlocking(address, rpc, header, body, Deadline.after(Clock.system(), CALL_MS));
    }

    @Override
    public void close() {
        client.close();
        loops.close();
    }
}

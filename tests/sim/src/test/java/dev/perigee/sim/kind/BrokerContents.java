package dev.perigee.sim.kind;

import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.send.HalfListHeader;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MalformedMessageException;
import dev.perigee.protocol.message.MessageDecoder;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.transaction.HalfMessage;
import dev.perigee.protocol.transaction.HalfMessageList;
import dev.perigee.remoting.call.Answer;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.question.Questions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What the views of a broker say, read as clients read it.
 *
 * @param questions how it is asked
 * @param topic the topic whose queues are read
 * @param queues how many there are
 */
record BrokerContents(Questions questions, String topic, int queues) {
    private static final int HALVES = 1_000;
    private static final int PULL_MESSAGES = 32;
    /** Take what is there now, and commit nothing. */
    private static final int SUBSCRIPTION_GIVEN = 4;

    private static final Set<Integer> MOVED =
            Set.of(ResponseCode.PULL_OFFSET_MOVED, ResponseCode.PULL_RETRY_IMMEDIATELY);

    /** One line for each message of each queue, and for each half message nobody has decided about. */
    List<String> lines(BrokerMachine machine) throws BadBodyException, MalformedMessageException {
        List<String> lines = messages(machine, Long.MAX_VALUE);
        HalfListHeader every = new HalfListHeader(null, null, -1, HALVES);
        byte[] halves = questions.ask(machine, Rpcs.LIST_HALF_MESSAGES, every).body();
        Json.read(halves, HalfMessageList.class).halves().stream()
                .map(HalfMessage::uniqueKey)
                .sorted()
                .forEach(key -> lines.add("half " + key));
        return lines;
    }

    /** One line for each message of each queue whose frame lies below an offset of the log. */
    List<String> messages(BrokerMachine machine, long belowOffset) throws MalformedMessageException {
        List<String> lines = new ArrayList<>();
        for (int queue = 0; queue < queues; queue++) {
            readQueue(machine, queue, belowOffset, lines);
        }
        return lines;
    }

    private void readQueue(BrokerMachine machine, int queue, long belowOffset, List<String> lines)
            throws MalformedMessageException {
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
            Answer<PullMessageResponse> answer = questions.ask(machine, Rpcs.PULL_MESSAGE, header);
            if (MOVED.contains(answer.code()) && answer.require().nextBeginOffset() > offset) {
                offset = answer.require().nextBeginOffset(); // behind a gap
                continue;
            }
            if (answer.code() != ResponseCode.SUCCESS) {
                if (belowOffset == Long.MAX_VALUE) {
                    lines.add("queue " + queue + " ends at " + offset);
                }
                return;
            }
            for (MessageExt message : MessageDecoder.decodeAll(ByteBuffer.wrap(answer.body()), machine.brokerName())) {
                if (message.physicalOffset() < belowOffset) {
                    lines.add("queue " + queue + "/" + message.queueOffset() + " " + message.offsetMessageId() + " "
                            + message.bodyText());
                }
                offset = message.queueOffset() + 1;
            }
        }
    }
}

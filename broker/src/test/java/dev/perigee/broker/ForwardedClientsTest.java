package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.member.LateOrders;
import dev.perigee.protocol.frame.BadFieldException;
import dev.perigee.protocol.frame.FieldCursor;
import dev.perigee.protocol.frame.FieldSink;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.rpc.HeaderCodec;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients that speak to a member that does not lead: three whole brokers on one thread. Their leader knows them apart. */
final class ForwardedClientsTest {
    /** As a client that wants to be taken for another one, and for that of another group. */
    private static final Rpc<SendMessageHeader, SendMessageResponse> FORGED = with(Map.of(
            "forwardedFor",
            "192.0.2.7:4711",
            "forwardedId",
            "somebody",
            "forwardedGroup",
            "other",
            "forwardedLog",
            "1"));

    private final SteppedMembers members = new SteppedMembers(3, Map.of());
    private final ClientOfMembers first = new ClientOfMembers(members);
    private final ClientOfMembers second = new ClientOfMembers(members);
    private int master;
    private int other;

    ForwardedClientsTest() throws Exception {}

    private static Rpc<SendMessageHeader, SendMessageResponse> with(Map<String, String> more) {
        Rpc<SendMessageHeader, SendMessageResponse> known = Rpcs.SEND_MESSAGE_V2;
        return new Rpc<>(known.code(), "with more", new More(known, more), known.response());
    }

    private record More(Rpc<SendMessageHeader, SendMessageResponse> known, Map<String, String> more)
            implements HeaderCodec<SendMessageHeader> {
        @Override
        public SendMessageHeader decode(FieldCursor fields) throws BadFieldException {
            return known.request().decode(fields);
        }

        @Override
        public void encode(SendMessageHeader header, FieldSink out) {
            known.request().encode(header, out);
            more.forEach(out::text);
        }
    }

    @BeforeEach
    void begin() throws Exception {
        master = members.masterOfTwoMessages();
        other = (master + 1) % 3;
    }

    private MessageExt lastMessage() throws Exception {
        List<MessageExt> all = TestBroker.messages(members.get(members.pull(master, "T", 2, 0)));
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    /** R6-35. */
    @Test
    void aMessageIsOfTheClientThatMadeItWhicheverMemberItWasSentTo() throws Exception {
        assertThat(first.call(other, Rpcs.SEND_MESSAGE_V2, TestBroker.sendHeader("T", 0, ""), new byte[] {1})
                        .code())
                .isZero();

        assertThat(lastMessage().bornHost()).isEqualTo(first.self(other));
    }

    @Test
    void whatAClientSaysAboutWhoItIsDoesNotCount() throws Exception {
        for (int index : List.of(master, other)) {
            assertThat(first.call(index, FORGED, TestBroker.sendHeader("T", 0, ""), new byte[] {1})
                            .code())
                    .isZero();
        }

        List<MessageExt> sent = TestBroker.messages(members.get(members.pull(master, "T", 2, 0)));
        assertThat(sent).extracting(MessageExt::bornHost).containsExactly(first.self(master), first.self(other));
    }

    /** R8-01: the leader has moved, and a second group of the same names was put where it was. */
    @Test
    void whatIsHandedOverWithinAnotherGroupIsNotTaken() throws Exception {
        Answer<NoHeader> status = first.call(master, Rpcs.GET_BROKER_HA_STATUS, NoHeader.NONE, null);
        String log = Objects.requireNonNull(
                        Json.read(status.body(), HaStatus.class).log())
                .logId();
        assertThat(handedOver(Map.of("forwardedGroup", "other"))).isEqualTo(ResponseCode.NOT_THE_LEADER);
        assertThat(handedOver(Map.of("forwardedGroup", "broker-a", "forwardedLog", log + "0")))
                .isEqualTo(ResponseCode.NOT_THE_LEADER);
        assertThat(handedOver(Map.of("forwardedGroup", "broker-a", "forwardedLog", log)))
                .isZero();
        assertThat(handedOver(Map.of()))
                .as("by a release that says nothing of it")
                .isZero();
    }

    /** R9-01: the same was ordered of the next leader meanwhile, and then the contrary. */
    @Test
    void whatAToolOrderedOverAConnectionOfBeforeAnElectionIsNotHandedOverAndASendIs() throws Exception {
        for (int index : members.others(master)) {
            assertThat(first.call(index, Rpcs.SEND_MESSAGE_V2, TestBroker.sendHeader("T", 0, ""), new byte[] {1})
                            .code())
                    .isZero();
        }
        int gone = master;
        members.kill(gone);
        master = members.master();
        other = 3 - gone - master;

        Answer<NoHeader> late = delete(first);
        assertThat(late.code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(late.remarkText()).contains("without a leader since this connection was opened", "was not done");
        assertThat(first.call(other, Rpcs.SEND_MESSAGE_V2, TestBroker.sendHeader("T", 0, ""), new byte[] {1})
                        .code())
                .isZero();
        members.pass(2 * (int) LateOrders.MOMENT_MS);
        assertThat(delete(first).code()).as("also later").isEqualTo(ResponseCode.SYSTEM_BUSY);

        Answer<NoHeader> now = delete(second);
        assertThat(now.code()).as(now.remarkText()).isZero();
    }

    private Answer<NoHeader> delete(ClientOfMembers by) throws Exception {
        return by.call(other, Rpcs.DELETE_TOPIC_IN_BROKER, new TopicHeader("T"), null);
    }

    private int handedOver(Map<String, String> more) throws Exception {
        Map<String, String> all = new TreeMap<>(more);
        all.put("forwardedFor", "192.0.2.7:4711");
        return members.get(members.client.call(
                        "127.0.0.1:" + members.groupPort(master),
                        with(all),
                        TestBroker.sendHeader("T", 0, ""),
                        new byte[] {1},
                        Deadline.after(members.clock, 60_000)))
                .code();
    }

    /** R4-46: the first one's pull did away with the reset for all that came over that member. */
    @Test
    void eachOfTwoReadersBehindOneMemberIsToldOfAReset() throws Exception {
        assertThat(first.commit(other, 2).code()).isZero();
        assertThat(members.position(master, "T")).isEqualTo(2);
        Answer<?> reset = members.get(members.call(
                master, Rpcs.INVOKE_BROKER_TO_RESET_OFFSET, new ResetOffsetHeader("T", "g", -1, true, 0, 0L), null));
        assertThat(reset.code()).as(reset.remarkText()).isZero();

        assertThat(first.pull(other, 2).code()).isEqualTo(ResponseCode.PULL_OFFSET_MOVED);
        assertThat(second.pull(other, 2).code()).isEqualTo(ResponseCode.PULL_OFFSET_MOVED);
        assertThat(second.commit(other, 2).remarkText()).contains("reset");
        assertThat(members.position(master, "T")).isZero();
    }

    /** ADR 0015 holds for them as well. */
    @Test
    void ofTwoReadersBehindOneMemberOnlyTheOneThatReadsAQueueMovesItsPosition() throws Exception {
        first.heartbeats("c1", master, other);
        second.heartbeats("c2", master, other);
        assertThat(first.pull(other, 0).code()).isZero();
        assertThat(first.commit(other, 2).remarkText()).isEmpty();

        assertThat(second.commit(other, 1).remarkText()).contains("c1");
        assertThat(members.position(master, "T")).isEqualTo(2);
    }
}

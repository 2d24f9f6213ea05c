package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.query.ViewMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a member gives readers: what is confirmed; while nobody leads, nothing where it may have forgotten some of it (R5). */
final class MemberReadsTest {
    private static final int UNTIL_BUSY_MS = 4_000;

    /** The only one that is left. */
    private static int alone(SteppedMembers members) throws Exception {
        int first = members.master();
        members.createTopic(first, "T");
        assertThat(members.send(first, "T", "m").code()).isZero();
        int other = members.others(first).get(0);
        members.until(() -> members.broker(other).log().confirmOffset()
                == members.broker(first).log().endOffset());
        members.pass(1_000); // what is confirmed is kept
        for (int each : List.of(0, 1, 2)) {
            members.kill(each);
        }
        members.start(other);
        members.pass(UNTIL_BUSY_MS);
        assertThat(members.masters()).isEmpty();
        return other;
    }

    @Test
    void aMemberThatIsSureIsReadWithoutALeader() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of());
        int left = alone(members);

        assertThat(members.status(left).sure()).isTrue();
        assertThat(members.bodies(left, "T", 0)).containsExactly("m");
    }

    /** R37: the master has it, and nobody else, so that it may be cut off again. */
    @Test
    void whatIsNotConfirmedIsFoundByNoOffset() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of());
        int master = members.master();
        members.createTopic(master, "T");
        Answer<SendMessageResponse> sent = members.send(master, "T", "m");
        long first = MessageId.parse(TestBroker.messageId(sent)).physicalOffset();
        members.until(() -> confirmed(members, master) == end(members, master));
        long next = end(members, master);
        members.others(master).forEach(members::freeze);
        CompletableFuture<Answer<SendMessageResponse>> waiting = members.sendSoon(master, "T", "not yet");
        members.until(() -> end(members, master) > next);

        assertThat(waiting).isNotDone();
        assertThat(confirmed(members, master)).isEqualTo(next);
        assertThat(TestBroker.bodies(view(members, master, first))).containsExactly("m");
        assertThat(view(members, master, next).code()).isEqualTo(ResponseCode.SYSTEM_ERROR);

        members.others(master).forEach(members::thaw);
        assertThat(members.get(waiting).code()).isZero();
        assertThat(TestBroker.bodies(view(members, master, next))).containsExactly("not yet");
    }

    private static long confirmed(SteppedMembers members, int index) {
        return members.broker(index).log().confirmOffset();
    }

    private static long end(SteppedMembers members, int index) {
        return members.broker(index).log().endOffset();
    }

    private static Answer<NoHeader> view(SteppedMembers members, int index, long offset) throws Exception {
        return members.get(members.call(index, Rpcs.VIEW_MESSAGE_BY_ID, new ViewMessageHeader("T", offset), null));
    }

    @Test
    void aMemberThatMayHaveForgottenIsNotRead() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of("flushDiskType", "ASYNC_FLUSH"));
        int left = alone(members); // each start is one of another boot

        assertThat(members.status(left).sure()).isFalse();
        Answer<PullMessageResponse> answer = members.get(members.pull(left, "T", 0, 0));
        assertThat(answer.code()).as(answer.remarkText()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(answer.remarkText()).contains("cannot be read yet");
    }
}

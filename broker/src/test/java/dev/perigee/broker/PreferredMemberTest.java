package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.remoting.call.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The member that is to lead leads again when it is back, and no send fails for that: three whole brokers on one thread. */
final class PreferredMemberTest {
    private static final int PREFERRED = 1;
    /** No leadership is given away before, and then it takes a look or two and an election. */
    private static final int YOUNG_MS = 60_000;

    private static final int STEPS_BETWEEN_SENDS = 100;

    @Test
    void thePreferredMemberTakesLeadershipBackWhenItHasCaughtUpAndNoSendFails() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of("preferredLeader", "n" + PREFERRED));
        int first = members.master();
        if (first != PREFERRED) {
            assertThat(members.get(members.transferTo(PREFERRED, first)).code()).isZero();
            members.until(() -> members.masters().equals(List.of(PREFERRED)));
        }
        members.createTopic(PREFERRED, "T");

        members.kill(PREFERRED);
        int meanwhile = members.master();
        assertThat(members.send(meanwhile, "T", "while it is away").code()).isZero();
        members.start(PREFERRED);
        members.pass(YOUNG_MS / 2);
        assertThat(members.masters()).as("this leadership is young").containsExactly(meanwhile);

        List<CompletableFuture<Answer<SendMessageResponse>>> sends = new ArrayList<>();
        for (int step = 0; step < 2 * YOUNG_MS && !members.masters().contains(PREFERRED); step++) {
            if (step % STEPS_BETWEEN_SENDS == 0) {
                sends.add(members.sendSoon(meanwhile, "T", "m" + sends.size()));
            }
            members.step();
        }

        assertThat(members.masters()).containsExactly(PREFERRED);
        for (CompletableFuture<Answer<SendMessageResponse>> send : sends) {
            assertThat(members.get(send).code()).as(send.join().remarkText()).isZero();
        }
        assertThat(members.bodies(PREFERRED, "T", 0)).startsWith("while it is away", "m0");
        members.pass(YOUNG_MS);
        assertThat(members.masters()).as("it keeps it").containsExactly(PREFERRED);
    }
}

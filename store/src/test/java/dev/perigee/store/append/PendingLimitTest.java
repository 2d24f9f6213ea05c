package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.TopicChanged;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.store.append.SwitchedReplication.Role;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** While others do not confirm, what waits for them is bounded. */
final class PendingLimitTest {
    private static final int LIMIT = 4 * 64;

    @Test
    void clientsAreRefusedAsBusyWhileTooManyWaitToBeConfirmedAndFactsAreNot() throws IOException {
        Pair pair = new Pair(1);
        pair.write(10);
        pair.carryAll();
        pair.replication.confirmLimit(pair.replicaEnd());
        pair.replication.role(Role.APPENDS);
        List<Sent> sent = new ArrayList<>();
        for (int i = 0; i < LIMIT + 5; i++) {
            sent.add(pair.replica.send("topic0", 0, "waits"));
            pair.replica.settle();
        }
        assertThat(sent.subList(0, LIMIT)).allMatch(each -> each.result() == null);
        assertThat(sent.subList(LIMIT, LIMIT + 5)).extracting(Sent::result).containsOnly(AppendResult.BUSY);

        List<AppendResult> facts = new ArrayList<>();
        FactSink sink = new FactSink(pair.replica.engine().gate(), pair.clock);
        sink.append(new TopicChanged(TopicConfig.of("made", 4)), false, (result, end) -> facts.add(result));
        pair.replica.settle();
        assertThat(facts).containsExactly(AppendResult.APPENDED);

        pair.replication.confirmLimit(Long.MAX_VALUE);
        sink.append(new TopicChanged(TopicConfig.of("flushed", 4)), (result, end) -> facts.add(result));
        pair.replica.settle();
        Sent after = pair.replica.send("topic0", 0, "there is room again");
        pair.replica.settle();
        assertThat(sent.subList(0, LIMIT)).extracting(Sent::result).containsOnly(AppendResult.APPENDED);
        assertThat(after.result()).isEqualTo(AppendResult.APPENDED);
    }
}

package dev.perigee.client.consumer;

import static dev.perigee.client.consumer.ConsumerWorld.GROUP;
import static dev.perigee.client.consumer.ConsumerWorld.queue;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.FakeLocks;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.protocol.client.QueueLockRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How the member of an orderly group asks for its locks again, and what it tells the broker of them (ADR 0023). */
final class LockRenewalTest {
    private final List<String> got = new ArrayList<>();
    private ConsumerWorld all;
    private FakeLocks locks;

    @BeforeEach
    void oneMemberThatHoldsOneQueue() throws Exception {
        all = new ConsumerWorld(1);
        locks = all.broker.locks();
        all.start(all.builder("c").orderlyListener(messages -> {
            got.add(messages.get(0).bodyText());
            return ConsumeResult.SUCCESS;
        }));
        all.run(1_000, 100);
        assertThat(locks.holder(GROUP, queue(0))).isNotNull();
    }

    private List<QueueLockRequest> askedForTheQueue() {
        return locks.asked().stream()
                .filter(request -> request.mqSet().contains(queue(0)))
                .toList();
    }

    @Test
    void itSaysThatItHoldsALockWhenItRenewsItAndNotWhenItAsksForIt() {
        assertThat(askedForTheQueue()).hasSize(1);
        assertThat(askedForTheQueue().get(0).heldMqSet()).isEmpty();
        all.run(QueueLocks.RENEW_MS, 100);
        assertThat(askedForTheQueue()).hasSize(2);
        assertThat(askedForTheQueue().get(1).heldMqSet()).contains(queue(0));
    }

    @Test
    void aBrokerThatDoesNotAnswerIsAskedAgainAtOnceAndTheQueueGoesOn() {
        locks.staySilent(true);
        all.run(QueueLocks.RENEW_MS + 5_000, 100);
        assertThat(askedForTheQueue()).hasSizeGreaterThanOrEqualTo(3);
        locks.staySilent(false);
        all.run(BrokerQueueLocks.VALID_MS - 20_000, 100);
        long renewals = askedForTheQueue().size();
        all.append(0, "after");
        all.run(1_000, 100);
        assertThat(got).containsExactly("after");
        assertThat(askedForTheQueue()).as("not asked all the time any more").hasSize((int) renewals);
    }

    @Test
    void aLockThatCannotBeRenewedIsNotClaimedAnyMore() {
        locks.staySilent(true);
        all.run(BrokerQueueLocks.VALID_MS + 5_000, 100);
        assertThat(askedForTheQueue().get(askedForTheQueue().size() - 1).heldMqSet())
                .doesNotContain(queue(0));
    }
}

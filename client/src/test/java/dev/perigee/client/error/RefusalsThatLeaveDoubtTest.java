package dev.perigee.client.error;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.rpc.ResponseCode;
import org.junit.jupiter.api.Test;

/** What a sender may conclude from a broker's refusal. */
final class RefusalsThatLeaveDoubtTest {
    private static boolean leavesDoubt(int code) {
        return new RefusedException(code, "", "", true, FailureSite.untried("T", 1)).mayHaveTakenEffect();
    }

    /** It is what a broker answers whose log failed while the message was on its way. */
    @Test
    void afterASystemErrorTheMessageMayBeStored() {
        assertThat(leavesDoubt(ResponseCode.SYSTEM_ERROR)).isTrue();
    }

    @Test
    void afterARefusalBeforeTheLogItIsNot() {
        assertThat(leavesDoubt(ResponseCode.SYSTEM_BUSY)).isFalse();
        assertThat(leavesDoubt(ResponseCode.SERVICE_NOT_AVAILABLE)).isFalse();
        assertThat(leavesDoubt(ResponseCode.MESSAGE_ILLEGAL)).isFalse();
    }
}

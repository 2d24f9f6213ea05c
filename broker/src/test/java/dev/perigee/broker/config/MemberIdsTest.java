package dev.perigee.broker.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class MemberIdsTest {
    @Test
    void theNumberOfAnIdStaysItsOwnHoweverMembersComeAndGo() {
        assertThat(MemberIds.of("n0", List.of("n0", "n1", "n2"))).isEqualTo(1);
        assertThat(MemberIds.of("n2", List.of("n0", "n1", "n2"))).isEqualTo(3);
        assertThat(MemberIds.of("n2", List.of("n1", "n2", "n3"))).as("n0 left").isEqualTo(3);
        assertThat(MemberIds.of("n3", List.of("n1", "n2", "n3"))).isEqualTo(4);
        assertThat(MemberIds.of("n7", List.of("n1", "n2"))).as("not told yet").isEqualTo(8);
    }

    @Test
    void withoutNumbersOfTheirOwnItIsThePlace() {
        assertThat(MemberIds.of("b", List.of("a", "b", "c"))).isEqualTo(2);
        assertThat(MemberIds.of("b1", List.of("a1", "b1"))).isEqualTo(2);
        assertThat(MemberIds.of("n1", List.of("n1", "standby"))).isEqualTo(1);
        assertThat(MemberIds.of("d", List.of("a", "b", "c"))).as("not told yet").isEqualTo(4);
    }
}

package dev.perigee.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.fastjson2.JSONObject;
import java.util.List;
import org.junit.jupiter.api.Test;

final class GroupTableTest {
    private static String run(List<String> targets, List<Long> awayMs, List<Integer> elections) {
        return new JSONObject()
                .fluentPut("contestant", "perigee-group-3")
                .fluentPut("flush", "SYNC_FLUSH")
                .fluentPut("targets", targets)
                .fluentPut("unavailableMs", awayMs)
                .fluentPut("elections", elections)
                .fluentPut("unasked", 1)
                .fluentPut("calmSeconds", 20)
                .toJSONString();
    }

    @Test
    void episodesOfOneFaultAreARow() {
        assertThat(GroupTable.of(List.of(
                        run(List.of("kill@leader", "kill@follower"), List.of(900L, 30L), List.of(1, 2)),
                        run(List.of("kill@leader", "kill@follower+unplug@leader"), List.of(700L, 50L), List.of(1, 4)))))
                .contains("| perigee-group-3 | SYNC_FLUSH | kill@leader | 2 | 700 | 900 | 900 | 2 |")
                .contains("| perigee-group-3 | SYNC_FLUSH | two at a time | 1 | 50 | 50 | 50 | 4 |")
                .contains("| perigee-group-3 | SYNC_FLUSH | all | 4 | 50 | 900 | 900 | 8 |")
                .contains("| perigee-group-3 | SYNC_FLUSH | 40 | 2 | 2 |");
    }

    @Test
    void partitionsOfAllShapesAreOneRow() {
        assertThat(GroupTable.of(List.of(run(
                        List.of("partition-alone@leader", "partition-chain@leader"), List.of(5L, 7L), List.of(1, 0)))))
                .contains("| perigee-group-3 | SYNC_FLUSH | partition@leader | 2 | 5 | 7 | 7 | 1 |");
    }

    @Test
    void whatIsNoGroupHasNoRow() {
        assertThat(GroupTable.of(List.of("{\"contestant\":\"stock-lone\",\"flush\":\"SYNC_FLUSH\"}")))
                .doesNotContain("stock-lone");
    }
}

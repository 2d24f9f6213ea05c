package dev.perigee.it.churn;

import com.alibaba.fastjson2.JSONObject;
import java.util.List;

/**
 * What one run of {@link Churn} showed; nothing was lost, or there would be no report.
 *
 * @param seed of the run
 * @param seconds how long the load lasted
 * @param sent messages sent and acknowledged
 * @param concurrentDuplicates deliveries to the concurrent group that ended well, beyond one for each message
 * @param orderlyDuplicates the same of the orderly group
 * @param violations of what queue locks promise
 * @param changes in both groups
 * @param drainMs from the last acknowledgement to the last consumption
 */
record ChurnReport(
        long seed,
        long seconds,
        long sent,
        long concurrentDuplicates,
        long orderlyDuplicates,
        List<String> violations,
        ChangingGroup.Counts changes,
        long drainMs) {
    /** One line. */
    String toJson() {
        return new JSONObject()
                .fluentPut("seed", seed)
                .fluentPut("seconds", seconds)
                .fluentPut("sent", sent)
                .fluentPut("concurrentDuplicatesPerMillion", perMillion(concurrentDuplicates))
                .fluentPut("orderlyDuplicatesPerMillion", perMillion(orderlyDuplicates))
                .fluentPut("orderViolations", violations.size())
                .fluentPut("joins", changes.joins())
                .fluentPut("leaves", changes.leaves())
                .fluentPut("kills", changes.kills())
                .fluentPut("drainMs", drainMs)
                .toJSONString();
    }

    private long perMillion(long duplicates) {
        return Math.round(1e6 * duplicates / sent);
    }
}

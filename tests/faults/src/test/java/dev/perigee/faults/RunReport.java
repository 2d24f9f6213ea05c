package dev.perigee.faults;

import com.alibaba.fastjson2.JSONArray;
import com.alibaba.fastjson2.JSONObject;
import dev.perigee.faults.fault.Plan;
import dev.perigee.faults.history.Findings;
import dev.perigee.faults.history.Violation;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a run showed.
 *
 * @param kinds how many faults of each kind there were
 * @param unavailableMs of each episode the longest time without an acknowledgement
 * @param ofGroup what there is to say of a group only
 */
record RunReport(
        Rig.Settings settings,
        String machine,
        Map<String, Long> kinds,
        long acknowledged,
        Findings findings,
        List<Long> unavailableMs,
        OfGroup ofGroup,
        Trouble trouble,
        long seconds) {
    /**
     * What nodes did not do by themselves.
     *
     * @param deaths processes that ended though nobody had killed them
     * @param helped times the whole cluster had to be started again before it took messages
     * @param begunAnew times a former master could be a slave on an empty folder only
     */
    record Trouble(int deaths, int helped, int begunAnew) {}

    /**
     * What elections a group had.
     *
     * @param targets of each episode the faults and whether the leader had them, such as {@code kill@leader}
     * @param elections of each episode the terms that began in it
     * @param unasked terms that began while nothing was hurt
     * @param calmSeconds how long nothing was hurt, in all
     */
    record OfGroup(List<String> targets, List<Integer> elections, int unasked, long calmSeconds) {
        /** Of what is no group. */
        static final OfGroup NONE = new OfGroup(List.of(), List.of(), 0, 0);
    }

    /** How many faults of each kind a plan has. */
    static Map<String, Long> kindsOf(Plan plan) {
        return plan.episodes().stream()
                .flatMap(episode -> episode.faults().stream())
                .collect(Collectors.groupingBy(
                        planned -> planned.kind().toString(), TreeMap::new, Collectors.counting()));
    }

    /** One line. */
    String toJson() {
        JSONObject violations = new JSONObject();
        findings.violations().forEach((violation, count) -> violations.put(violation.name(), count));
        return new JSONObject()
                .fluentPut("contestant", settings.contestant().toString())
                .fluentPut("flush", settings.flush())
                .fluentPut("overlap", settings.overlap())
                .fluentPut("seed", settings.seed())
                .fluentPut("machine", machine)
                .fluentPut("seconds", seconds)
                .fluentPut("faults", settings.faults())
                .fluentPut("kinds", new JSONObject(kinds))
                .fluentPut("acknowledged", acknowledged)
                .fluentPut("lost", findings.count(Violation.LOST))
                .fluentPut("redelivered", findings.redelivered())
                .fluentPut("violations", violations)
                .fluentPut("deaths", trouble.deaths())
                .fluentPut("helped", trouble.helped())
                .fluentPut("begunAnew", trouble.begunAnew())
                .fluentPut("unavailableMs", new JSONArray(unavailableMs))
                .fluentPut("targets", new JSONArray(ofGroup.targets()))
                .fluentPut("elections", new JSONArray(ofGroup.elections()))
                .fluentPut("unasked", ofGroup.unasked())
                .fluentPut("calmSeconds", ofGroup.calmSeconds())
                .toJSONString();
    }
}

package dev.perigee.protocol.route;

import java.util.Map;

/**
 * The members of one broker group.
 */
public record MemberGroup(String cluster, String brokerName, Map<Long, String> brokerAddrs) {
    public MemberGroup {
        brokerAddrs = brokerAddrs == null ? Map.of() : brokerAddrs;
    }
}

package dev.perigee.namesrv.route;

import dev.perigee.loop.Immutable;
import dev.perigee.loop.InOrder;
import dev.perigee.protocol.topic.DataVersion;
import java.util.Map;

/**
 * What a broker says about itself.
 *
 * @param broker who speaks
 * @param haServerAddr where its replicas connect to
 * @param timeoutMs forget the broker after this silence
 * @param actingMaster what it wants when its group has no master
 * @param version version of its topic table
 * @param topics its topics, or only the changed ones
 * @param extent whether {@code topics} is the whole table
 * @param zone where the broker is, "" when it does not say
 * @param link the connection; here it is compared by identity only, and handed on to whoever tells its broker something
 */
@Immutable
public record Registration(
        BrokerIdentity broker,
        String haServerAddr,
        long timeoutMs,
        ActingMaster actingMaster,
        DataVersion version,
        Map<String, QueueSetting> topics,
        Extent extent,
        String zone,
        Object link) {
    /** The id of a master. */
    public static final long MASTER_ID = 0;

    public Registration {
        topics = InOrder.copyOf(topics);
    }

    /** How much of the broker's table a registration carries. */
    public enum Extent {
        /** The sender does not say (stock brokers): what is not listed stays. */
        UNSAID,
        /** The whole table: what is not listed is gone. */
        COMPLETE
    }

    /** What a broker of the 5.x line says about standing in for a lost master. */
    public enum ActingMaster {
        /** An older broker: only masters announce topics. */
        UNKNOWN,
        /** Topics of the smallest id are taken, as they are. */
        OFF,
        /** Topics of the smallest id are taken; without a master they cannot be written. */
        ON
    }
}

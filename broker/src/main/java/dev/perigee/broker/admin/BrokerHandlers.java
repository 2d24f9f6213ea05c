package dev.perigee.broker.admin;

import dev.perigee.broker.check.Bodies;
import dev.perigee.broker.check.ColdAnswer;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.broker.BrokerStatsHeader;
import dev.perigee.protocol.route.KvTable;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.stats.BrokerStatsData;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.store.view.ColdReaders;

/** The broker's own figures: 28 and 315. */
@ThreadSafe
public final class BrokerHandlers {
    private final RuntimeInfo info;
    private final BrokerStats stats;
    private final ColdReaders coldReaders;

    public BrokerHandlers(RuntimeInfo info, BrokerStats stats, ColdReaders coldReaders) {
        this.info = info;
        this.stats = stats;
        this.coldReaders = coldReaders;
    }

    /** 28: all figures. Asks the disk for its free space, so it runs on a cold reader. */
    public void runtimeInfo(Request<NoHeader> request, Reply<NoHeader> reply) {
        ColdAnswer.give(coldReaders, reply, () -> reply.ok(NoHeader.NONE, Bodies.json(new KvTable(info.collect()))));
    }

    /** 315: one statistic. */
    public void statistic(Request<BrokerStatsHeader> request, Reply<NoHeader> reply) {
        BrokerStatsHeader header = request.header();
        BrokerStatsData data = stats.find(header.statsName(), header.statsKey());
        if (data == null) {
            reply.fail(
                    ResponseCode.SYSTEM_ERROR,
                    "The stats <" + header.statsName() + "> <" + header.statsKey() + "> not exist");
        } else {
            reply.ok(NoHeader.NONE, Bodies.json(data));
        }
    }
}

package dev.perigee.namesrv.route;

import dev.perigee.loop.Immutable;

/**
 * Which broker.
 *
 * @param cluster its cluster
 * @param brokerName its name, shared by a master and its slaves
 * @param brokerId 0 for the master
 * @param address where clients connect to
 */
@Immutable
public record BrokerIdentity(String cluster, String brokerName, long brokerId, String address) {}

package dev.perigee.harness;

/** Where a running cluster of one broker is, whoever made it. */
public record Target(String namesrv, String broker, String clusterName, String brokerName) {}

package dev.perigee.faults.cluster;

/**
 * A node as its group knows it.
 *
 * @param id its name
 * @param address where clients find it
 * @param groupAddress where the others find it
 */
record Member(String id, String address, String groupAddress) {}

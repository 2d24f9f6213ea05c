package dev.perigee.protocol.header.kv;

/**
 * Header of GET_KV_CONFIG (101) and DELETE_KV_CONFIG (102).
 */
public record KvHeader(String namespace, String key) {}

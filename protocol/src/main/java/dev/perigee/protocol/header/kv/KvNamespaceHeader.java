package dev.perigee.protocol.header.kv;

/**
 * Header of GET_KVLIST_BY_NAMESPACE (219).
 */
public record KvNamespaceHeader(String namespace) {}

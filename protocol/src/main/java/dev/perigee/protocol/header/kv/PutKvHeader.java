package dev.perigee.protocol.header.kv;

/**
 * Header of PUT_KV_CONFIG (100).
 */
public record PutKvHeader(String namespace, String key, String value) {}

package dev.perigee.remoting.transport;

/** What a listening port does with encrypted and with plain connections. */
public enum TlsMode {
    /** Plain only; a TLS hello ends the connection. */
    DISABLED,
    /** Both, told apart by the first byte. */
    PERMISSIVE,
    /** Encrypted only; plain bytes end the connection. */
    ENFORCING
}

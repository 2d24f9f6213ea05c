package dev.perigee.remoting.tls;

import dev.perigee.loop.config.Setting;
import dev.perigee.remoting.address.AddressSettings;
import dev.perigee.remoting.transport.TlsConfig.ClientAuth;
import dev.perigee.remoting.transport.TlsMode;
import java.util.List;

/** The settings of encryption, in RocketMQ's spelling; every process that listens or connects has the same ones. */
public final class TlsKeys {
    static final Setting<TlsMode> MODE = Setting.ofEnum("tls.server.mode", TlsMode.PERMISSIVE)
            .doc("PERMISSIVE answers TLS and plain text on the same port, ENFORCING refuses plain text.");
    static final Setting<Boolean> TEST_MODE = Setting.ofBoolean("tls.test.mode.enable", true)
            .doc("Whether a throw-away certificate, made by the server itself, stands in for a configured one.");
    static final Setting<String> SERVER_CERT =
            AddressSettings.path("tls.server.certPath", "").doc("PEM certificate chain.");
    static final Setting<String> SERVER_KEY =
            AddressSettings.path("tls.server.keyPath", "").doc("PEM private key, PKCS#8.");
    static final Setting<String> SERVER_PASSWORD =
            Setting.ofText("tls.server.keyPassword", "").doc("Password of the private key.");
    static final Setting<ClientAuth> NEED_CLIENT_AUTH = Setting.ofEnum("tls.server.need.client.auth", ClientAuth.NONE)
            .doc("Whether TLS clients are asked for a certificate.");
    static final Setting<Boolean> AUTH_CLIENT = Setting.ofBoolean("tls.server.authClient", false)
            .doc("Whether the certificates of clients are verified; needs tls.server.need.client.auth.");
    static final Setting<String> SERVER_TRUST = AddressSettings.path("tls.server.trustCertPath", "")
            .doc("PEM roots that clients' certificates are verified against; empty = those of the JDK.");

    static final Setting<Boolean> ENABLE = Setting.ofBoolean("tls.enable", false)
            .doc("Whether own connections to NameServers and brokers are encrypted.");
    static final Setting<String> CLIENT_CERT =
            AddressSettings.path("tls.client.certPath", "").doc("PEM certificate chain shown to servers that ask.");
    static final Setting<String> CLIENT_KEY =
            AddressSettings.path("tls.client.keyPath", "").doc("PEM private key of it, PKCS#8.");
    static final Setting<String> CLIENT_PASSWORD =
            Setting.ofText("tls.client.keyPassword", "").doc("Password of that key.");
    static final Setting<Boolean> AUTH_SERVER = Setting.ofBoolean("tls.client.authServer", false)
            .doc("Whether the certificates of servers are verified, host name included.");
    static final Setting<String> CLIENT_TRUST = AddressSettings.path("tls.client.trustCertPath", "")
            .doc("PEM roots that servers' certificates are verified against; empty = those of the JDK.");

    /** The keys of a process that listens. */
    public static final List<Setting<?>> SERVER = List.of(
            MODE, TEST_MODE, SERVER_CERT, SERVER_KEY, SERVER_PASSWORD, NEED_CLIENT_AUTH, AUTH_CLIENT, SERVER_TRUST);

    /** The keys of a process that connects. */
    public static final List<Setting<?>> CLIENT =
            List.of(ENABLE, CLIENT_CERT, CLIENT_KEY, CLIENT_PASSWORD, AUTH_SERVER, CLIENT_TRUST);

    /** The keys whose values are shown to nobody. */
    public static final List<Setting<String>> SECRETS = List.of(SERVER_PASSWORD, CLIENT_PASSWORD);

    private TlsKeys() {}
}

package dev.perigee.remoting.metrics;

import dev.perigee.loop.Immutable;
import dev.perigee.loop.config.ConfigReader;
import dev.perigee.loop.config.Setting;
import dev.perigee.remoting.address.AddressSettings;
import dev.perigee.remoting.address.ListenPort;
import java.util.List;

/**
 * The Prometheus endpoint of a server.
 *
 * @param enabled whether {@code /metrics} is served
 * @param port its port; 0 lets the system choose
 */
@Immutable
public record MetricsSettings(boolean enabled, int port) {
    /** Values of {@link #EXPORTER}. */
    public enum Exporter {
        DISABLE,
        PROM
    }

    /** The switch of the endpoint. */
    public static final Setting<Exporter> EXPORTER =
            Setting.ofEnum("metricsExporterType", Exporter.DISABLE).doc("PROM serves /metrics.");

    private static final String PORT = "metricsPromExporterPort";

    /** The setting of the port, whose default and text each kind of server has for itself. */
    public static Setting<Integer> portSetting(int defaultPort, String doc) {
        return AddressSettings.port(PORT, defaultPort).doc(doc);
    }

    /**
     * Reads switch and port.
     *
     * @param port as made by {@link #portSetting}
     * @throws dev.perigee.loop.config.ConfigException when a value is not accepted
     */
    public static MetricsSettings read(ConfigReader reader, Setting<Integer> port) {
        return new MetricsSettings(reader.get(EXPORTER) == Exporter.PROM, reader.get(port));
    }

    /** The port it takes: one, or none when it is switched off. */
    public List<ListenPort> ports() {
        return enabled ? List.of(new ListenPort(PORT, "0.0.0.0", PORT, port)) : List.of();
    }

    /** The value of {@link #EXPORTER} that says the same. */
    public Exporter exporter() {
        return enabled ? Exporter.PROM : Exporter.DISABLE;
    }
}

package dev.perigee.broker.config;

/** Values of {@code metricsExporterType}. */
enum MetricsExporter {
    DISABLE,
    PROM
}

/**
 * OpenTelemetry as an option: spans of sends and of listener calls, and their context carried in user properties. The only package
 * that sees the opentelemetry-api, which whoever uses it has to bring (ADR 0021).
 */
@NullMarked
package dev.perigee.client.otel;

import org.jspecify.annotations.NullMarked;

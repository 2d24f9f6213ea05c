/** Figures for Prometheus, under the names that dashboards for RocketMQ use. */
@NullMarked
package dev.perigee.broker.metrics;

import org.jspecify.annotations.NullMarked;

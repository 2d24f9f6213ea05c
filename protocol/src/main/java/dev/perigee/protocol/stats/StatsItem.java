package dev.perigee.protocol.stats;

import com.alibaba.fastjson2.annotation.JSONField;

/**
 * Sum, rate per second and average over one window.
 */
public record StatsItem(
        long sum, double tps, @JSONField(name = "avgpt") double average) {}

package dev.perigee.broker.stats;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MeterTest {
    private final Meter meter = new Meter();

    private void tick(int times, long amountEach) {
        for (int i = 0; i < times; i++) {
            meter.add(amountEach);
            meter.sample();
        }
    }

    @Test
    void ratesNeedTwoSamples() {
        meter.add(100);
        assertThat(meter.perSecond(10)).isZero();
        meter.sample();
        assertThat(meter.perSecond(10)).isEqualTo(10.0);
    }

    @Test
    void ratesLookBackAsFarAsAsked() {
        tick(6, 600);
        tick(6, 0);
        assertThat(meter.perSecond(10)).isZero();
        assertThat(meter.perSecond(60)).isZero();
        assertThat(meter.perSecond(600)).isEqualTo(30.0);
    }

    @Test
    void ratesSurviveManySamples() {
        tick(500, 50);
        assertThat(meter.perSecond(600)).isEqualTo(5.0);
        assertThat(meter.total()).isEqualTo(25_000);
        assertThat(meter.minute(meter).sum()).isEqualTo(300);
        assertThat(meter.hour(meter).sum()).isEqualTo(360 * 50);
    }
}

package dev.perigee.broker.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.timer.Wish;
import dev.perigee.protocol.property.PropertyText;
import org.junit.jupiter.api.Test;

class SendPropertiesTest {
    private final SendProperties properties = new SendProperties();

    private SendProperties scan(String text) {
        properties.scan(PropertyText.of(text.replace('=', '\u0001').replace(';', '\u0002')));
        return properties;
    }

    @Test
    void findsWhatASendHasToKnow() {
        SendProperties found = scan("TAGS=a;UNIQ_KEY=AC11;WAIT=false;KEYS=k;");
        assertThat(found.uniqueKey()).isEqualTo("AC11");
        assertThat(found.waitForStore()).isFalse();
        assertThat(found.half()).isFalse();
        assertThat(found.needsEdit()).isFalse();
    }

    @Test
    void nothingIsFoundInNothing() {
        SendProperties found = scan("");
        assertThat(found.uniqueKey()).isNull();
        assertThat(found.waitForStore()).isTrue();
        assertThat(found.needsEdit()).isFalse();
    }

    @Test
    void aScanForgetsTheOneBefore() {
        scan("UNIQ_KEY=AC11;WAIT=false;DELAY=3;TIMER_DELAY_SEC=5;TIMER_OUT_MS=1;TRAN_MSG=true;"
                + "_SYS_MSG_PRIORITY_=3;__SHARDINGKEY=k;");
        SendProperties found = scan("TAGS=a;");
        assertThat(found.uniqueKey()).isNull();
        assertThat(found.hasWish()).isFalse();
        assertThat(found.wish()).isEqualTo(Wish.NONE);
        assertThat(found.priority()).isEqualTo(SendProperties.NO_PRIORITY);
        assertThat(found.hasShardingKey()).isFalse();
        assertThat(found.half()).isFalse();
        assertThat(found.waitForStore()).isTrue();
    }

    @Test
    void whenAMessageWantsToBeDeliveredIsSeen() {
        assertThat(scan("DELAY=3;").wish()).isEqualTo(new Wish("3", null, null, null, false));
        assertThat(scan("TIMER_DELAY_SEC=4;").wish()).isEqualTo(new Wish(null, "4", null, null, false));
        assertThat(scan("TIMER_DELAY_MS=5;").wish()).isEqualTo(new Wish(null, null, "5", null, false));
        assertThat(scan("TIMER_DELIVER_MS=6;TIMER_OUT_MS=6;").wish()).isEqualTo(new Wish(null, null, null, "6", true));
        assertThat(scan("TIMER_OUT_MS=6;").hasWish()).isFalse();
        assertThat(scan("TIMER_DELAY_XY=5;DELAX=3;").hasWish()).isFalse();
    }

    @Test
    void theKindOfAMessageIsSeen() {
        assertThat(scan("TRAN_MSG=true;").half()).isTrue();
        assertThat(scan("TRAN_MSG=false;").half()).isFalse();
        assertThat(scan("_SYS_MSG_PRIORITY_=7;").priority()).isEqualTo(7);
        assertThat(scan("_SYS_MSG_PRIORITY_=-7;").priority()).isEqualTo(SendProperties.NO_PRIORITY);
        assertThat(scan("_SYS_MSG_PRIORITY_=high;").priority()).isEqualTo(SendProperties.NO_PRIORITY);
        assertThat(scan("__SHARDINGKEY=k;").hasShardingKey()).isTrue();
    }

    @Test
    void propertiesOfTheBrokerAreReplaced() {
        assertThat(scan("POP_CK=1 2 3;").needsEdit()).isTrue();
        assertThat(scan("MSG_REGION=r;").needsEdit()).isTrue();
        assertThat(scan("TRACE_ON=true;").needsEdit()).isTrue();
        assertThat(scan("CLUSTER=c;").needsEdit()).isTrue();
        assertThat(scan("__STAMP#=c;").needsEdit()).isTrue();
        assertThat(scan("__HALF#=1;").needsEdit()).isTrue();
    }

    @Test
    void untidyTextIsMended() {
        assertThat(scan("TAGS=a").needsEdit()).isTrue();
        assertThat(scan("TAGS=;KEYS=k;").needsEdit()).isTrue();
        assertThat(scan("=a;KEYS=k;").needsEdit()).isTrue();
        assertThat(scan("TAGS;KEYS=k;").needsEdit()).isTrue();
    }

    @Test
    void theLastOfTwoCounts() {
        assertThat(scan("UNIQ_KEY=A1;UNIQ_KEY=B2;").uniqueKey()).isEqualTo("B2");
    }

    @Test
    void keysAreCountedAsTheyAreIndexedWhereThereMayBeTooMany() {
        String most = "k ".repeat(SendProperties.MAX_KEYS - 1) + " k";
        assertThat(scan("KEYS=  " + most + "  ;").keys()).isEqualTo(SendProperties.MAX_KEYS);
        assertThat(scan("KEYS=  " + most + " more;").keys()).isEqualTo(SendProperties.MAX_KEYS + 1);
        assertThat(scan("KEYS=k;").keys()).isLessThanOrEqualTo(SendProperties.MAX_KEYS);
        assertThat(scan("TAGS=a;").keys()).isZero();
    }
}

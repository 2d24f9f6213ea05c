package dev.perigee.store.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PropertyScanTest {
    private static final String[] NAMES = {"KEYS", "TAGS", "UNIQ_KEY", "K", "TAGSX", "XKEYS", "ключ", ""};

    private final PropertyScan scan = new PropertyScan();

    private void scan(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        scan.scan(ByteBuffer.wrap(bytes), 0, bytes.length);
    }

    private String text(int from, int to) {
        return new String(scan.bytes(), from, to - from, StandardCharsets.UTF_8);
    }

    @Test
    void propertiesAreFoundWithAndWithoutALastSeparator() {
        for (String end : new String[] {"\u0002", ""}) {
            scan("a\u0001b\u0002KEYS\u0001k1 k2\u0002UNIQ_KEY\u0001u\u0002TAGS\u0001t" + end);
            assertThat(text(scan.keysFrom(), scan.keysTo())).isEqualTo("k1 k2");
            assertThat(text(scan.uniqueKeyFrom(), scan.uniqueKeyTo())).isEqualTo("u");
            assertThat(scan.tagHash()).isEqualTo("t".hashCode());
        }
    }

    @Test
    void nameWithoutValueIsNothing() {
        for (String odd : new String[] {"KEYS", "KEYS\u0001", "KEYS\u0002", "\u0002\u0002", "\u0001", "TAGS\u0002x"}) {
            scan(odd);
            assertThat(scan.keysFrom()).as(odd).isEqualTo(scan.keysTo());
            assertThat(scan.tagHash()).as(odd).isZero();
        }
    }

    @Test
    void scanAgreesWithASlowOne() {
        Random random = new Random(7);
        for (int round = 0; round < 20_000; round++) {
            StringBuilder text = new StringBuilder();
            String keys = "";
            String unique = "";
            String tags = "";
            for (int left = random.nextInt(6); left > 0; left--) {
                String name = NAMES[random.nextInt(NAMES.length)];
                String value = "v\u0003é".repeat(random.nextInt(5)) + random.nextInt(1000);
                text.append(name).append('\u0001').append(value).append('\u0002');
                keys = name.equals("KEYS") ? value : keys;
                unique = name.equals("UNIQ_KEY") ? value : unique;
                tags = name.equals("TAGS") ? value : tags;
            }
            scan(text.toString());
            assertThat(text(scan.keysFrom(), scan.keysTo())).isEqualTo(keys);
            assertThat(text(scan.uniqueKeyFrom(), scan.uniqueKeyTo())).isEqualTo(unique);
            assertThat(scan.tagHash()).isEqualTo(tags.hashCode());
        }
    }
}

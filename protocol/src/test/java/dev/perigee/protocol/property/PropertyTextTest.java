package dev.perigee.protocol.property;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PropertyTextTest {
    private static PropertyText text(String shown) {
        return PropertyText.of(shown.replace('=', '\u0001').replace(';', '\u0002'));
    }

    private static String shown(PropertyEdit edit) {
        return edit.toText().toString().replace('\u0001', '=').replace('\u0002', ';');
    }

    @Test
    void readsWithAndWithoutTheLastSeparator() {
        assertThat(text("a=1;b=2;").toMap()).containsExactly(entry("a", "1"), entry("b", "2"));
        assertThat(text("a=1;b=2").toMap()).containsExactly(entry("a", "1"), entry("b", "2"));
    }

    @Test
    void passesOverPiecesThatAreNoPair() {
        assertThat(text(";;a;=1;b=;c=3;xy;d=4").toMap()).containsExactly(entry("c", "3"), entry("d", "4"));
    }

    @Test
    void findsValuesByName() {
        PropertyText text = text("TAGSX=no;XTAGS=no;TAGS=yes;K=a=b;é=ü;");
        assertThat(text.get("TAGS")).isEqualTo("yes");
        assertThat(text.get("TAG")).isNull();
        assertThat(text.get("K")).isEqualTo("a\u0001b");
        assertThat(text.has("XTAGS")).isTrue();
        assertThat(text.has("AGS")).isFalse();
        assertThat(text.toMap()).containsEntry("é", "ü");
    }

    @Test
    void letsTheLastOfEqualNamesCount() {
        PropertyText text = text("a=1;a=2;");
        assertThat(text.get("a")).isEqualTo("2");
        assertThat(text.toMap()).containsExactly(entry("a", "2"));
    }

    @Test
    void copiesNearlyVerbatimAndDropsWhatIsNamed() {
        PropertyEdit edit = new PropertyEdit().load(text("KEYS=k;POP_CK=x y;TAGS=t"), "POP_CK", "MSG_REGION");
        assertThat(shown(edit)).isEqualTo("KEYS=k;TAGS=t;");
        edit.append(PropertyEdit.encode("MSG_REGION", "r", "TRACE_ON", "true"));
        assertThat(shown(edit)).isEqualTo("KEYS=k;TAGS=t;MSG_REGION=r;TRACE_ON=true;");
        edit.put("TAGS", "längér").remove("KEYS");
        assertThat(shown(edit)).isEqualTo("MSG_REGION=r;TRACE_ON=true;TAGS=längér;");
        ByteBuffer out = ByteBuffer.allocate(edit.sizeBytes());
        edit.writeTo(out);
        assertThat(out.remaining()).isZero();
        assertThat(shown(edit.load(PropertyText.EMPTY))).isEmpty();
    }

    @Test
    void growsForLongProperties() {
        PropertyEdit edit = new PropertyEdit().load(text("a=" + "x".repeat(5000)));
        edit.put("b", "y".repeat(9000));
        assertThat(edit.toText().get("a")).hasSize(5000);
        assertThat(edit.toText().get("b")).hasSize(9000);
    }

    @Test
    void agreesWithAMapForRandomEdits() {
        for (int seed = 0; seed < 2000; seed++) {
            Random random = new Random(seed);
            Map<String, String> model = new LinkedHashMap<>();
            PropertyEdit edit = new PropertyEdit().clear();
            for (int step = 0; step < 20; step++) {
                String name = "n" + random.nextInt(6);
                if (random.nextInt(3) == 0) {
                    model.remove(name);
                    edit.remove(name);
                } else {
                    String value = "v".repeat(1 + random.nextInt(4)) + random.nextInt();
                    model.put(name, value);
                    edit.put(name, value);
                }
            }
            assertThat(edit.toText().toMap()).as("seed %s", seed).isEqualTo(model);
            assertThat(MessageProperties.parse(MessageProperties.format(model))).isEqualTo(model);
        }
    }

    @Test
    void tellsReservedNames() {
        assertThat(PropertyKey.isReserved("TAGS")).isTrue();
        assertThat(PropertyKey.isReserved("__STAMP#")).isTrue();
        assertThat(PropertyKey.isReserved("color")).isFalse();
    }
}

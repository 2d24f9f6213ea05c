package dev.perigee.protocol.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonHeaderTest {
    private static FrameHeader decode(String json) throws MalformedFrameException {
        byte[] bytes = ("..." + json + "..").getBytes(StandardCharsets.UTF_8);
        return FrameCodec.decodeHeader(HeaderSerialization.JSON, bytes, 3, bytes.length - 5);
    }

    private static Map<String, String> fields(String json) throws MalformedFrameException {
        return RemotingCommand.toMap(decode("{\"extFields\":" + json + "}").fields());
    }

    @Test
    void takesMembersInAnyOrderAndPassesOverUnknownOnes() throws Exception {
        FrameHeader header =
                decode(" { \"version\" : 1 , \"x\":{\"code\":[1,{\"a\":\"}\"}]}, \"extFields\":{\"k\":\"v\"},"
                        + "\"suspended\":false,\"opaque\":-9,\"flag\":\"2\",\"language\":\"GO\",\"code\":34} ");
        assertThat(header.code()).isEqualTo(34);
        assertThat(header.version()).isEqualTo(1);
        assertThat(header.opaque()).isEqualTo(-9);
        assertThat(header.isOneway()).isTrue();
        assertThat(header.language()).isEqualTo(Language.GO);
        assertThat(RemotingCommand.toMap(header.fields())).containsExactly(Map.entry("k", "v"));
    }

    @Test
    void takesDefaultsForMissingAndNullMembers() throws Exception {
        FrameHeader header = decode("{\"code\":null,\"remark\":null,\"extFields\":null}");
        assertThat(header.code()).isZero();
        assertThat(header.language()).isEqualTo(Language.JAVA);
        assertThat(header.remark()).isNull();
        assertThat(header.hasFields()).isFalse();
        assertThat(header.fields().next()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"3,PYTHON", "13,NODE_JS", "99,OTHER", "-1,OTHER", "1.5,OTHER", "\"KLINGON\",OTHER", "\"CPP\",CPP"})
    void readsLanguagesByNameAndNumber(String json, Language expected) throws Exception {
        assertThat(decode("{\"language\":" + json + "}").language()).isEqualTo(expected);
    }

    @Test
    void turnsNumbersAndBooleansIntoTextAndDropsNullsAndNestedValues() throws Exception {
        assertThat(fields("{\"a\":12,\"b\":true,\"c\":null,\"d\":\"\",\"e\":{\"x\":1},\"f\":-1.5}"))
                .containsExactly(
                        Map.entry("a", "12"), Map.entry("b", "true"), Map.entry("d", ""), Map.entry("f", "-1.5"));
    }

    @Test
    void readsEveryEscape() throws Exception {
        assertThat(fields("{\"\\u0061\\/\":\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u00e9\\u20ac\\uD83D\\uDE00é€😀\"}"))
                .containsExactly(Map.entry("a/", "\"\\\b\f\n\r\t\u0001é€😀é€😀"));
    }

    @Test
    void findsAnEscapedKeyInATable() throws Exception {
        FieldCursor cursor = decode("{\"extFields\":{\"\\u0061\":\"1\"}}").fields();
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.key(KeyTable.of("b", "a"))).isEqualTo(1);
        assertThat(cursor.intValue()).isEqualTo(1);
    }

    @Test
    void namesFieldAndValueOfABadNumber() throws Exception {
        FieldCursor cursor = decode("{\"extFields\":{\"queueId\":\"seven\",\"n\":99999999999}}")
                .fields();
        assertThat(cursor.next()).isTrue();
        assertThatThrownBy(cursor::intValue)
                .isInstanceOf(BadFieldException.class)
                .hasMessageContaining("queueId")
                .hasMessageContaining("seven");
        assertThat(cursor.next()).isTrue();
        assertThatThrownBy(cursor::intValue).hasMessageContaining("32 bits");
        assertThat(cursor.longValue()).isEqualTo(99999999999L);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "null",
                "{}x",
                "{\"code\"}",
                "{\"code\":}",
                "{code:1}",
                "{\"code\":\"x\"}",
                "{\"code\":true}",
                "{\"code\":1.5}",
                "{\"code\":99999999999}",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u12\"}",
                "{\"a\":\"x",
                "{\"a\":\"x\\",
                "{\"a\":tru}",
                "{\"a\":nul",
                "{\"extFields\":[]}",
                "{\"extFields\":\"x\"}",
            })
    void refusesWhatIsNoHeader(String json) {
        assertThatThrownBy(() -> decode(json)).isInstanceOf(MalformedFrameException.class);
    }

    @Test
    void refusesDeepNestingInsteadOfOverflowingTheStack() {
        String deep = "{\"x\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";
        assertThatThrownBy(() -> decode(deep)).hasMessageContaining("more than 1024 nested values");
    }

    @Test
    void refusesMoreFieldsThanAnyHeaderHas() {
        String many = "{\"extFields\":{" + "\"a\":1,".repeat(2000) + "\"b\":1}}";
        assertThatThrownBy(() -> decode(many)).hasMessageContaining("more than 1024 fields");
    }
}

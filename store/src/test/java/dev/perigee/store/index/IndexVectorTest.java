package dev.perigee.store.index;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.fastjson2.JSON;
import com.alibaba.fastjson2.JSONObject;
import dev.perigee.store.view.LogTopic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/**
 * What the key index has in common with that of a stock broker: the entry is the same 20 bytes, and its hash begins with the same one.
 * It goes on to mix that, because slots are chosen by its low bits, and its files are not those of a stock broker.
 */
class IndexVectorTest {
    private static final Path VECTORS = Path.of("..", "protocol", "src", "test", "resources", "test-vectors");
    private static final int ORDER_1_HASH = 826_172_197;

    private static String text(String file) throws IOException {
        return Files.readString(VECTORS.resolve(file)).strip();
    }

    @Test
    void anEntryIsLaidOutAsThatOfAStockBroker() throws IOException {
        byte[] stock = HexFormat.of().parseHex(text("17-index-entry.hex"));
        byte[] written = new byte[IndexEntry.SIZE_BYTES];

        IndexEntry.write(written, 0, ORDER_1_HASH, 123_456_789, 60, 0);

        assertThat(written).isEqualTo(stock);
        assertThat(IndexEntry.hash(stock, 0)).isEqualTo(ORDER_1_HASH);
        assertThat(IndexEntry.physicalOffset(stock, 0)).isEqualTo(123_456_789);
        assertThat(IndexEntry.seconds(stock, 0)).isEqualTo(60);
        assertThat(IndexEntry.before(stock, 0)).isZero();
    }

    @Test
    void aHashIsTheStockOneMixed() throws IOException {
        for (Object each : JSON.parseObject(text("17-index-entry.json")).getJSONArray("hashes")) {
            JSONObject stock = (JSONObject) each;
            byte[] keyText = stock.getString("text").getBytes(StandardCharsets.UTF_8);
            int javaHash = stock.getIntValue("javaHash");

            assertThat(LogTopic.hash(keyText, 0, keyText.length, 0)).isEqualTo(javaHash);
            assertThat(KeyHash.of(stock.getString("topic"), stock.getString("key")))
                    .isEqualTo(mixed(javaHash));
        }
    }

    /** As store-format.md has it. */
    private static int mixed(int hash) {
        int h = hash ^ hash >>> 16;
        h *= 0x85EBCA6B;
        h ^= h >>> 13;
        h *= 0xC2B2AE35;
        return h ^ h >>> 16;
    }
}

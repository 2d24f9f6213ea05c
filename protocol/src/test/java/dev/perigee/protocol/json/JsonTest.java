package dev.perigee.protocol.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.fastjson2.JSONFactory;
import org.junit.jupiter.api.Test;

final class JsonTest {
    @Test
    void whatWritesAndReadsATypeIsThereOnceItIsPrepared() {
        Json.prepare(Prepared.class);

        assertThat(JSONFactory.getDefaultObjectWriterProvider()
                        .getObjectWriterFromCache(Prepared.class, Prepared.class, false))
                .isNotNull();
        assertThat(JSONFactory.getDefaultObjectReaderProvider().unregisterObjectReader(Prepared.class))
                .isNotNull();
    }

    /** Nobody else writes or reads one. */
    public record Prepared(int number) {}
}

package dev.perigee.protocol.frame;

import com.alibaba.fastjson2.JSONReader;
import dev.perigee.loop.OwnedBy;

/**
 * Keeps hostile nesting away from the JSON reader, which passes over nested values by recursion. No peer nests anything
 * but the custom header, so the brackets left in the header are simply counted.
 */
@OwnedBy("the thread that decodes the frame")
final class JsonGuard {
    static final int MAX_BRACKETS = 1024;

    private final byte[] bytes;
    private final int end;

    JsonGuard(byte[] bytes, int end) {
        this.bytes = bytes;
        this.end = end;
    }

    /** Passes over the nested value that comes next. */
    void skipNested(JSONReader in) throws MalformedFrameException {
        int brackets = 0;
        for (int at = in.getOffset() - 1; at < end; at++) {
            if (bytes[at] == '{' || bytes[at] == '[') {
                brackets++;
            }
        }
        if (brackets > MAX_BRACKETS) {
            throw new MalformedFrameException("header holds more than " + MAX_BRACKETS + " nested values");
        }
        in.skipValue();
    }
}

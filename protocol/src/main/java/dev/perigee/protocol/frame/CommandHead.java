package dev.perigee.protocol.frame;

import dev.perigee.loop.Immutable;
import org.jspecify.annotations.Nullable;

/**
 * The fixed part of a command that is about to be written.
 *
 * @param code request or response code
 * @param language the sender's language
 * @param version the sender's release, see {@link PeerVersion}
 * @param opaque number that ties a response to its request
 * @param flag bits of {@link #RESPONSE} and {@link #ONEWAY}
 * @param remark free text, mostly the reason of an error
 * @param serialization how the header is written
 */
@Immutable
public record CommandHead(
        int code,
        Language language,
        int version,
        int opaque,
        int flag,
        @Nullable String remark,
        HeaderSerialization serialization) {

    /** Flag bit: set in responses, clear in requests. */
    public static final int RESPONSE = 1;
    /** Flag bit: the sender of the request expects no response. */
    public static final int ONEWAY = 2;

    /** The head of a request this node sends. */
    public static CommandHead request(int code, int opaque, boolean oneway, HeaderSerialization serialization) {
        int flag = oneway ? ONEWAY : 0;
        return new CommandHead(code, Language.JAVA, PeerVersion.OURS, opaque, flag, null, serialization);
    }

    /** The head of this node's answer to a request with the given opaque. */
    public static CommandHead response(
            int code, int opaque, @Nullable String remark, HeaderSerialization serialization) {
        return new CommandHead(code, Language.JAVA, PeerVersion.OURS, opaque, RESPONSE, remark, serialization);
    }
}

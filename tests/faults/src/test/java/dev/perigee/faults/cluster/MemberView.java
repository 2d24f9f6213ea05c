package dev.perigee.faults.cluster;

import com.alibaba.fastjson2.JSONException;
import com.alibaba.fastjson2.JSONObject;
import dev.perigee.harness.RemotingProbe.Answer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What a member of a group says that it knows.
 *
 * @param term the highest it has taken part in; 0 of a stock member, which does not tell
 * @param leader the id of whoever leads that, as far as it knows; null when it does not
 * @param leads whether it is that one
 * @param end where its log ends; 0 of a stock member
 * @param sure whether it has all that it ever answered for, without which it counts for nobody; true of a stock member
 */
record MemberView(long term, @Nullable String leader, boolean leads, long end, boolean sure) {
    private static final int DLEDGER_OK = 200;

    /** Reads the answer of a Perigee broker. */
    static MemberView ofOurs(Answer answer) throws IOException {
        JSONObject body = body(answer, 0);
        String leader = body.getString("leader");
        return new MemberView(
                body.getLongValue("term"),
                leader,
                body.getString("self").equals(leader),
                body.getLongValue("endOffset"),
                body.getBooleanValue("sure"));
    }

    /** Reads that of a stock one. */
    static MemberView ofStock(String self, Answer answer) throws IOException {
        JSONObject body = body(answer, DLEDGER_OK);
        String leader = body.getString("leaderId");
        return new MemberView(0, leader, self.equals(leader), 0, true);
    }

    private static JSONObject body(Answer answer, int ok) throws IOException {
        try {
            JSONObject body = answer.code() == ok ? JSONObject.parseObject(answer.body()) : null;
            if (body == null) {
                throw new IOException("a member answers " + answer);
            }
            return body;
        } catch (JSONException e) {
            throw new IOException("a member answers " + answer, e);
        }
    }
}

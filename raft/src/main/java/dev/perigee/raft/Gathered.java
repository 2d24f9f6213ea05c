package dev.perigee.raft;

import dev.perigee.loop.OwnedBy;
import dev.perigee.raft.member.Members;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Gathers the effects of one event. */
@OwnedBy("log loop")
final class Gathered {
    private boolean any;
    private boolean steppedDown;
    private @Nullable Vote persist;
    private OptionalInt epochToBegin = OptionalInt.empty();
    private @Nullable Members append;
    private OptionalLong truncate = OptionalLong.empty();
    private OptionalLong confirm = OptionalLong.empty();
    private Effects.@Nullable Following follow;
    private List<RaftMessage> send = new ArrayList<>();
    private boolean restored;
    private @Nullable String refusal;
    private List<String> notes = new ArrayList<>();

    void steppedDown() {
        any = true;
        steppedDown = true;
        epochToBegin = OptionalInt.empty();
        append = null;
    }

    void persist(Vote vote) {
        any = true;
        persist = vote;
    }

    void beginEpoch(int term) {
        any = true;
        epochToBegin = OptionalInt.of(term);
    }

    void append(Members members) {
        any = true;
        append = members;
    }

    void truncate(long endOffset) {
        any = true;
        truncate = OptionalLong.of(endOffset);
    }

    void confirm(long offset) {
        any = true;
        confirm = OptionalLong.of(offset);
    }

    void follow(Effects.Following following) {
        any = true;
        follow = following;
    }

    void send(RaftMessage message) {
        any = true;
        send.add(message);
    }

    void restored() {
        any = true;
        restored = true;
    }

    void refuse(String reason) {
        any = true;
        refusal = reason;
    }

    void note(String text) {
        any = true;
        notes.add(text);
    }

    /** All of it; the next event begins with nothing. */
    Effects take() {
        if (!any) {
            return Effects.NONE;
        }
        Effects all = new Effects(
                steppedDown,
                Optional.ofNullable(persist),
                epochToBegin,
                Optional.ofNullable(append),
                truncate,
                confirm,
                Optional.ofNullable(follow),
                send,
                restored,
                Optional.ofNullable(refusal),
                notes);
        any = false;
        steppedDown = false;
        persist = null;
        epochToBegin = OptionalInt.empty();
        append = null;
        truncate = OptionalLong.empty();
        confirm = OptionalLong.empty();
        follow = null;
        send = new ArrayList<>();
        restored = false;
        refusal = null;
        notes = new ArrayList<>();
        return all;
    }
}

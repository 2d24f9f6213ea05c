package dev.perigee.raft.script;

import dev.perigee.raft.Effects;
import dev.perigee.raft.LogEnd;
import dev.perigee.raft.RaftMessage;
import dev.perigee.raft.RaftMessage.Held;
import dev.perigee.raft.RaftMessage.Hello;
import dev.perigee.raft.RaftMessage.HelloAnswer;
import dev.perigee.raft.RaftMessage.Lead;
import dev.perigee.raft.RaftMessage.LeadAnswer;
import dev.perigee.raft.RaftMessage.VoteAnswer;
import dev.perigee.raft.RaftMessage.VoteRequest;
import dev.perigee.raft.RaftNode;
import dev.perigee.raft.Recovered.Condition;
import java.util.ArrayList;
import java.util.List;

/** Messages, effects and nodes in one line each. */
public final class Words {
    private Words() {}

    /** A message. */
    public static String of(RaftMessage message) {
        return message.from() + ">" + message.to() + " " + message.kind() + " t" + message.term() + detail(message);
    }

    private static String detail(RaftMessage message) {
        return switch (message.kind()) {
            case VOTE_REQUEST -> {
                VoteRequest request = (VoteRequest) message;
                yield " " + request.phase() + " " + request.reason() + " log " + of(request.log())
                        + (request.begins().isEmpty() ? "" : " begins " + request.begins());
            }
            case VOTE_ANSWER -> {
                VoteAnswer answer = (VoteAnswer) message;
                yield " " + answer.phase() + (answer.granted() ? " granted" : " denied")
                        + (answer.condition() == Condition.SOUND ? "" : " restoring") + " log " + of(answer.log());
            }
            case LEAD -> {
                Lead lead = (Lead) message;
                yield lead.session() == 0 ? "" : " session " + lead.session();
            }
            case LEAD_ANSWER -> {
                LeadAnswer answer = (LeadAnswer) message;
                yield answer.session() == 0 ? "" : " session " + answer.session() + " held " + answer.heldOffset();
            }
            case HELLO -> {
                Hello hello = (Hello) message;
                yield " session " + hello.session() + (hello.condition() == Condition.SOUND ? "" : " restoring")
                        + " log " + of(hello.log());
            }
            case HELLO_ANSWER -> {
                HelloAnswer answer = (HelloAnswer) message;
                yield " session " + answer.session() + " end " + answer.leaderEnd()
                        + (answer.lastResort() ? " last resort" : "")
                        + (answer.refusal().isEmpty() ? "" : " refused: " + answer.refusal());
            }
            case HELD -> {
                Held held = (Held) message;
                yield " session " + held.session() + " held " + held.endOffset();
            }
            case TRANSFER_NOW -> "";
        };
    }

    static String of(LogEnd end) {
        return end.epoch() + ":" + end.endOffset();
    }

    /** What is to be done, a line for each. */
    public static List<String> of(Effects effects) {
        List<String> lines = new ArrayList<>();
        effects.notes().forEach(note -> lines.add(note));
        if (effects.steppedDown()) {
            lines.add("stepped down");
        }
        effects.persist()
                .ifPresent(vote -> lines.add("persist t" + vote.term()
                        + vote.candidate().map(id -> " vote " + id).orElse("")));
        effects.epochToBegin().ifPresent(term -> lines.add("begin epoch " + term));
        effects.append().ifPresent(members -> lines.add("append members " + members));
        effects.truncate().ifPresent(offset -> lines.add("truncate to " + offset));
        effects.confirm().ifPresent(offset -> lines.add("confirm " + offset));
        effects.follow()
                .ifPresent(following -> lines.add("follow " + following.leader() + " session " + following.session()));
        effects.send().forEach(message -> lines.add("send " + of(message)));
        if (effects.restored()) {
            lines.add("restored");
        }
        effects.refusal().ifPresent(refusal -> lines.add("refused: " + refusal));
        return lines;
    }

    /** What a node is and has. */
    public static String of(RaftNode node) {
        return node.role().kind() + " t" + node.term()
                + node.leaderId().map(id -> " leader " + id).orElse("") + " log "
                + of(node.end()) + " held " + node.heldOffset() + " confirm " + node.confirmOffset()
                + (node.condition() == Condition.SOUND ? "" : " restoring") + (node.admits() ? " admits" : "")
                + " members "
                + node.members().members();
    }
}

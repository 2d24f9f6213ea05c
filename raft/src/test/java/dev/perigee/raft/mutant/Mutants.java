package dev.perigee.raft.mutant;

import dev.perigee.raft.mutant.Mutant.Killer;
import java.util.List;

/** The rules that are taken away, one at a time. */
final class Mutants {
    private Mutants() {}

    static List<Mutant> all() {
        return List.of(
                simulated(
                        "the force of the vote before anything of its term is said (R36)",
                        "Ballot.java",
                        "return vote.equals(durable);",
                        "return true;"),
                simulated(
                        "the check of the term",
                        "RaftNode.java",
                        "if (message.term() < term()) {",
                        "if (message.term() < 0) {"),
                simulated(
                        "the own epoch in the commit rule (R19)",
                        "Leader.java",
                        "if (reached >= epochEnd) {",
                        "if (epochEnd != NOT_BEGUN) {"),
                simulated(
                        "the comparison of logs",
                        "LogEnd.java",
                        "epoch != other.epoch ? epoch > other.epoch : endOffset >= other.endOffset",
                        "endOffset >= 0 || other.isEmpty()"),
                scripted(
                        "the comparison of logs in a vote",
                        "Ballot.java",
                        "                && request.log().isAtLeast(log.end())\n                && (log",
                        "                && (log"),
                simulated(
                        "the own force before the own count",
                        "LogState.java",
                        "if (heldWhen == HeldWhen.FORCED) {",
                        "if (generation < 0) {"),
                scripted(
                        "the one vote in a term",
                        "Ballot.java",
                        "                && (isFree() || isVotedFor(request))\n",
                        ""),
                scripted("the majority", "Quorum.java", "voters / 2 + 1", "Math.max(1, voters / 2)"),
                scripted(
                        "the silence of who hears a leader",
                        "Elections.java",
                        "? !roles.hearsLeader() && ballot",
                        "? ballot"),
                scripted(
                        "the vote for a transfer beside a leader",
                        "RaftNode.java",
                        "request.reason() == Reason.TRANSFER || !roles.hearsLeader()",
                        "!roles.hearsLeader()"),
                scripted(
                        "the check of the quorum",
                        "Leader.java",
                        "if (!peers.hearsMajority(",
                        "if (false && !peers.hearsMajority("),
                scripted(
                        "the time that a node stood still",
                        "AwakeTime.java",
                        "Math.min(newNowMs - nowMs, maxStepMs)",
                        "newNowMs - nowMs"),
                scripted(
                        "the session of what is held (R5)",
                        "Leader.java",
                        "if (session == 0 || peers.sessionOf(from) != session) {",
                        "if (session == 0) {"),
                scripted(
                        "the generation of a force (R1)",
                        "LogState.java",
                        "flushGeneration == generation && !cutting",
                        "!cutting"),
                scripted(
                        "the stop before what is confirmed is cut (R19)",
                        "LogState.java",
                        "if (next.endOffset() < confirm) {",
                        "if (next.endOffset() < 0) {"),
                scripted(
                        "the refusal to vote of who restores (R5)",
                        "Ballot.java",
                        "                && (log.isSound() || request.reason() == Reason.LAST_RESORT);",
                        "                ;"),
                scripted(
                        "the leaving out of who restores (R5)",
                        "Peers.java",
                        "return condition == Condition.SOUND ? matchOffset : 0;",
                        "return matchOffset;"),
                scripted(
                        "what was appended after the hello (R5)",
                        "Follower.java",
                        "toldConfirm > leaderEnd && log.flushed() >= toldConfirm",
                        "log.flushed() >= toldConfirm"),
                scripted(
                        "the force of what is restored (R5)",
                        "Follower.java",
                        "toldConfirm > leaderEnd && log.flushed() >= toldConfirm",
                        "toldConfirm > leaderEnd"),
                scripted(
                        "the last resort of its term (R5)",
                        "Follower.java",
                        "lastResort && log.flushed()",
                        "false && log.flushed()"),
                scripted(
                        "the all of the last resort (R5)",
                        "Candidate.java",
                        "phase == Phase.PRE && all && othersCannot",
                        "phase == Phase.PRE && othersCannot"),
                scripted(
                        "the force of a fact about members (R5)",
                        "LogState.java",
                        "return factEnd > flushed ? Math.max(heldBeforeFact, flushed) : end.endOffset();",
                        "return end.endOffset();"),
                scripted(
                        "the settings that a group begins by (R6)",
                        "Elections.java",
                        "boolean isOne = own.isEmpty()",
                        "boolean isOne = !own.isEmpty() || own.isEmpty()"),
                scripted(
                        "the folder in a vote (R6)",
                        "Elections.java",
                        "if (!voter.get().is(answer.from(), answer.nodeId())) {",
                        "if (false) {"),
                scripted(
                        "the folder in a hello (R6)",
                        "Leader.java",
                        "member.get().is(hello.from(), hello.nodeId())",
                        "true"),
                scripted("the all of the first election (R6)", "Candidate.java", "(first && sure == voters)", "false"),
                scripted(
                        "the own epoch before a change of members (R15)",
                        "Leader.java",
                        "if (!isEstablished()) {\n            out.refuse",
                        "if (false) {\n            out.refuse"),
                scripted(
                        "the wait for the change before (R15)",
                        "Leader.java",
                        "membersAsked || current.factEnd() > log.confirm()",
                        "false"),
                scripted(
                        "the taking back of members (R15)",
                        "RaftNode.java",
                        "        membership.cutTo(end.endOffset());\n",
                        ""),
                scripted(
                        "the keeping up of who is promoted",
                        "Leader.java",
                        "&& !peers.keepsUp(promote.id(), config.electionTimeoutMs())",
                        "&& false"),
                scripted(
                        "the leaving of who is removed",
                        "Leader.java",
                        "if (isRemoved() && successor == null)",
                        "if (false)"),
                scripted(
                        "the standing of who is removed and not confirmed",
                        "member/Membership.java",
                        "(current().factEnd() > confirmOffset && wasVoter",
                        "(false && wasVoter"),
                scripted(
                        "the folder that settings do not name (R6)",
                        "member/Membership.java",
                        "voter.id().equals(id) && voter.nodeId() == nodeId",
                        "voter.is(id, nodeId)"),
                scripted(
                        "the stepping down before all else (R2)", "Roles.java", "            out.steppedDown();\n", ""),
                scripted(
                        "the confirmation that was said (R19)",
                        "Follower.java",
                        "Math.min(toldConfirm, log.endOffset())",
                        "log.endOffset()"),
                scripted(
                        "the end of admission in a transfer",
                        "Leader.java",
                        " && successor == null && leaving",
                        " && leaving"),
                scripted("the all of a successor", "Leader.java", "peers.countedOf(next) == log.endOffset()", "true"),
                scripted(
                        "the waiting of a slow disk",
                        "Elections.java",
                        "fitness != Fitness.WELL && passedOver",
                        "false && passedOver"),
                scripted(
                        "the passing over of who declined",
                        "Peers.java",
                        "return declinedAwakeMs != other.declinedAwakeMs",
                        "return false"),
                scripted(
                        "the passing over of who cannot take over in time",
                        "Peers.java",
                        "keepsUp == doesMost ? progress.isBetterThan(most) : keepsUp",
                        "progress.isBetterThan(most)"),
                scripted(
                        "the doubt about who was removed and has not answered (R32)",
                        "Leader.java",
                        "        settled = settled && peers.areAllOf(membership.members());\n",
                        ""),
                scripted(
                        "the doubt about who was removed just before (R32)",
                        "Leader.java",
                        " && membership.leftOutAwakeMs() <= heardSinceMs()",
                        ""),
                scripted("the staying with a slow disk", "Leader.java", "if (failedLately()) {", "if (false) {"),
                scripted(
                        "the end of touch with a connection (R32)",
                        "RaftNode.java",
                        "leader.connectionLost(to);",
                        "leader.advance();"),
                scripted(
                        "the word said before a connection broke (R32)",
                        "Peers.java",
                        "if (progress != null && saidMs > progress.lostMs) {",
                        "if (progress != null) {"),
                scripted(
                        "the log of who has the vote (R6)",
                        "Ballot.java",
                        "                && request.log().isAsFar(votedLog);",
                        "                ;"),
                scripted(
                        "the log in an answer to a candidate (R6)",
                        "Candidate.java",
                        "                && answer.asked().isAsFar(log);",
                        "                ;"),
                scripted(
                        "the folder in an answer to a leader (R6)",
                        "Leader.java",
                        "        if (!isOther) {",
                        "        if (from.equals(answer.from())) {"),
                scripted(
                        "the forgetting of a leader by who is removed",
                        "RaftNode.java",
                        "isMember() || follower.hearsLeader()",
                        "true"),
                scripted("the one refusal of a full disk", "RaftNode.java", "if (changed && roles", "if (roles"),
                scripted(
                        "the standing aside of a full disk",
                        "Elections.java",
                        "                && fitness != Fitness.BLOCKED\n",
                        ""),
                scripted(
                        "the haste after a broken connection (R29)",
                        "Roles.java",
                        "electionMs = Math.min(electionMs, time.awakeMs() + jitterMs);",
                        "electionMs = Math.max(electionMs, jitterMs);"));
    }

    private static Mutant simulated(String name, String file, String find, String put) {
        return new Mutant(name, file, find, put, Killer.SIMULATION);
    }

    private static Mutant scripted(String name, String file, String find, String put) {
        return new Mutant(name, file, find, put, Killer.SCENARIO);
    }
}

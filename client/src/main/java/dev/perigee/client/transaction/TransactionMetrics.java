package dev.perigee.client.transaction;

/**
 * What a transaction producer did so far. Counters only grow; the numbers are read one after the other, not at one instant.
 *
 * @param halves half messages that were stored
 * @param committed decisions to commit that brokers took, after checks too
 * @param rolledBack decisions to roll back that brokers took, after checks too
 * @param refused decisions that brokers did not take, because it was decided otherwise or too late
 * @param open decisions of which it is not known whether they arrived
 * @param checks questions of brokers about transactions of this group
 * @param checksUndecided of these, those the listener had no answer to yet, or failed on, or was not asked about because the
 *     transaction is under way here
 * @param checksDropped of these, those that found too many others waiting; brokers ask again
 * @param checksForeign questions that are not about this group, or cannot be read
 */
public record TransactionMetrics(
        long halves,
        long committed,
        long rolledBack,
        long refused,
        long open,
        long checks,
        long checksUndecided,
        long checksDropped,
        long checksForeign) {}

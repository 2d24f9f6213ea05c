/** Transactions: which halves are undecided, deciding them, and asking their producers. */
@NullMarked
package dev.perigee.broker.transaction;

import org.jspecify.annotations.NullMarked;

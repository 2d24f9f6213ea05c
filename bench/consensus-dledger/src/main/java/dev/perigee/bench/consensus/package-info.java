/** The same over DLedger. */
package dev.perigee.bench.consensus;

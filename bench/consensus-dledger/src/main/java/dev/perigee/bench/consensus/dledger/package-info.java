/** What three nodes of DLedger cost. */
package dev.perigee.bench.consensus.dledger;

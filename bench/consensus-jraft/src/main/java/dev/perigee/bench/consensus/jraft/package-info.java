/** What three nodes of jraft cost. */
package dev.perigee.bench.consensus.jraft;

/** What it costs to agree on a message, measured the same way for each system. */
package dev.perigee.bench.consensus;

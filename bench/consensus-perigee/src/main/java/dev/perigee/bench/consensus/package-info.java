/** The same over a group of ours. */
package dev.perigee.bench.consensus;

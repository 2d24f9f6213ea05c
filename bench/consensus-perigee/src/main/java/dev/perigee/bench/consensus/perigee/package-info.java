/** What three stores of a group cost. */
package dev.perigee.bench.consensus.perigee;

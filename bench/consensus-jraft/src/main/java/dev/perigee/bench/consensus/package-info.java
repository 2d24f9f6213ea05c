/** The same over jraft. */
package dev.perigee.bench.consensus;

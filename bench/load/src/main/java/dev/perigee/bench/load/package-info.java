/** The load itself, the same source for every client; compiled into each load program on that client's own jars. */
package dev.perigee.bench.load;

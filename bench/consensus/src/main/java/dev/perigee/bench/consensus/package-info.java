/** What it costs three nodes to agree, whoever they are. */
package dev.perigee.bench.consensus;

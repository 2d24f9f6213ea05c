/** The servers that are measured, each started fresh in JVMs of its own. */
@NullMarked
package dev.perigee.bench.runner.server;

import org.jspecify.annotations.NullMarked;

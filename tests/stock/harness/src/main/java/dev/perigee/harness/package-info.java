/**
 * Runs stock RocketMQ peers as black boxes, each in a JVM of its own on exactly the jars its POM resolves. Nothing here has a stock class
 * on its class path; the talk goes over pipes, sockets and exit codes.
 */
@NullMarked
package dev.perigee.harness;

import org.jspecify.annotations.NullMarked;

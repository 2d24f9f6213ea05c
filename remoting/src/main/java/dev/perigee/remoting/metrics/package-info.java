/** The endpoint that shows the figures of a server to Prometheus, and its settings. The only package here that sees its library. */
@NullMarked
package dev.perigee.remoting.metrics;

import org.jspecify.annotations.NullMarked;

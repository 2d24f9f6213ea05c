/**
 * Moves frames between processes: connections, requests and their replies, server and client. Handlers and callers see
 * typed headers and bytes; the transport below is a seam.
 */
@NullMarked
package dev.perigee.remoting;

import org.jspecify.annotations.NullMarked;

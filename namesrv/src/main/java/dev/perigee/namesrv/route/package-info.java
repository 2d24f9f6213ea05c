/** The routes as a pure structure: no clock, no thread, no socket. */
@NullMarked
package dev.perigee.namesrv.route;

import org.jspecify.annotations.NullMarked;

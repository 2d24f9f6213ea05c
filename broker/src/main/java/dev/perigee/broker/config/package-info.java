/** What a broker is told at its start: identity, ports, storage, limits; and the few settings that may change later. */
@NullMarked
package dev.perigee.broker.config;

import org.jspecify.annotations.NullMarked;

/** The broker of one process: everything wired together, started and stopped. */
@NullMarked
package dev.perigee.broker;

import org.jspecify.annotations.NullMarked;

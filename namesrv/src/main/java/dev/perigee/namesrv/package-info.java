/** The name server: keeps routes in memory and answers for them. */
@NullMarked
package dev.perigee.namesrv;

import org.jspecify.annotations.NullMarked;

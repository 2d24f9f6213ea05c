/** The store on real files. */
@NullMarked
package dev.perigee.store;

import org.jspecify.annotations.NullMarked;

@NullMarked
package dev.perigee.store.epoch;

import org.jspecify.annotations.NullMarked;

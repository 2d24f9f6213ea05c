@NullMarked
package dev.perigee.broker.check;

import org.jspecify.annotations.NullMarked;

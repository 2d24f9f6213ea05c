/** Groups whose members come, leave and are killed all the time, under load. */
@NullMarked
package dev.perigee.it.churn;

import org.jspecify.annotations.NullMarked;

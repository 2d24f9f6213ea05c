/** Taking back messages that wait for their time. */
@NullMarked
package dev.perigee.client.recall;

import org.jspecify.annotations.NullMarked;

/** Calls on their way: deadlines, answers, the ways a call can fail, and the table of calls that wait for an answer. */
@NullMarked
package dev.perigee.remoting.call;

import org.jspecify.annotations.NullMarked;

/** Consumers of Perigee's own client in JVMs of their own, which write down what they do and may be killed at any instant. */
@NullMarked
package dev.perigee.it.member;

import org.jspecify.annotations.NullMarked;

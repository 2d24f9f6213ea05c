/** Perigee as a process of its own, for tests that treat it as a black box; it runs on the class path of the test. */
@NullMarked
package dev.perigee.harness.own;

import org.jspecify.annotations.NullMarked;

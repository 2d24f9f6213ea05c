/** What runs gave, and how it is written down. */
@NullMarked
package dev.perigee.bench.runner.figure;

import org.jspecify.annotations.NullMarked;

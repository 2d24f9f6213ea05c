/** What stock peers do against a cluster and what must come out, whoever made the cluster. */
@NullMarked
package dev.perigee.harness.scenario;

import org.jspecify.annotations.NullMarked;

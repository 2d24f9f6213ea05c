/** What a master that starts takes over from its replicas before it begins its epoch (R10). */
@NullMarked
package dev.perigee.replica.takeover;

import org.jspecify.annotations.NullMarked;

package dev.perigee.loop;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The mutable class may only be touched by the named owner, usually a loop. */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface OwnedBy {
    /** The owner in one word, for instance {@code "log loop"}. */
    String value();
}

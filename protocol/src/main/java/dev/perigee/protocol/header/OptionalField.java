package dev.perigee.protocol.header;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A header component of a reference type that may be absent, which is then null. Needed beside {@code @Nullable} because
 * that annotation is not there at run time. Boxed numbers and booleans are optional without it.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface OptionalField {}

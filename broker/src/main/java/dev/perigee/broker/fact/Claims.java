package dev.perigee.broker.fact;

import java.util.function.Predicate;

/**
 * Which keys are being decided about: from the append of a fact until it is applied. What a view knows of a claimed key is
 * about to be replaced, so it must not be stated again. On the view loop only.
 */
public interface Claims {
    /** Nothing is ever claimed; for views that are only read from. */
    Claims NONE = new Claims() {
        @Override
        public boolean isClaimed(String key) {
            return false;
        }

        @Override
        public boolean isAnyClaimed(Predicate<String> wanted) {
            return false;
        }
    };

    /** Whether a decision about the key is on its way. */
    boolean isClaimed(String key);

    /** Whether any decision about a wanted key is on its way. */
    boolean isAnyClaimed(Predicate<String> wanted);
}

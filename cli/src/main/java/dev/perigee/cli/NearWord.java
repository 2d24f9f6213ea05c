package dev.perigee.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the word that was most likely meant by a mistyped one. Pure. */
final class NearWord {
    /** One slip is forgiven, and another one for so many letters. */
    private static final int LETTERS_PER_SLIP = 6;

    private NearWord() {}

    /** The nearest of the words, when few enough slips lead from it to what was typed. */
    static Optional<String> of(String typed, Collection<String> words) {
        return words.stream()
                .filter(word -> slips(typed, word) <= 1 + typed.length() / LETTERS_PER_SLIP)
                .min(Comparator.<String>comparingInt(word -> slips(typed, word)).thenComparing(word -> word));
    }

    /** How many letters were left out, put in, changed, or swapped with their neighbour. */
    static int slips(String typed, String word) {
        int[][] slips = new int[typed.length() + 1][word.length() + 1];
        for (int i = 0; i <= typed.length(); i++) {
            for (int j = 0; j <= word.length(); j++) {
                slips[i][j] = i == 0 || j == 0 ? i + j : fewest(slips, typed, word, i, j);
            }
        }
        return slips[typed.length()][word.length()];
    }

    private static int fewest(int[][] slips, String typed, String word, int i, int j) {
        boolean same = typed.charAt(i - 1) == word.charAt(j - 1);
        int fewest = Math.min(Math.min(slips[i - 1][j], slips[i][j - 1]) + 1, slips[i - 1][j - 1] + (same ? 0 : 1));
        boolean swapped = i > 1
                && j > 1
                && typed.charAt(i - 1) == word.charAt(j - 2)
                && typed.charAt(i - 2) == word.charAt(j - 1);
        return swapped ? Math.min(fewest, slips[i - 2][j - 2] + 1) : fewest;
    }
}

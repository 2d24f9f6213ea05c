package dev.perigee.broker.config;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The ids that members of a group have at NameServers while they do not lead. */
public final class MemberIds {
    private static final Pattern NUMBERED = Pattern.compile(".*?(\\d{1,9})");

    private MemberIds() {}

    /**
     * As with stock brokers the number that the own id ends with, plus one: 1 for {@code n0}. It is the same however members come and go. Where
     * not every id ends with a number of its own, the place among them, from 1 on.
     *
     * @param selfId of this broker
     * @param all ids of the members
     */
    public static long of(String selfId, List<String> all) {
        List<Integer> numbers = all.stream().map(MemberIds::number).toList();
        boolean isNumbered =
                !numbers.contains(-1) && numbers.stream().distinct().count() == numbers.size();
        int own = number(selfId);
        if (own >= 0 && isNumbered) {
            return own + 1L;
        }
        int place = all.indexOf(selfId);
        return (place < 0 ? all.size() : place) + 1L;
    }

    /** −1 for none. */
    private static int number(String id) {
        Matcher matcher = NUMBERED.matcher(id);
        return matcher.matches() ? Integer.parseInt(matcher.group(1)) : -1;
    }
}

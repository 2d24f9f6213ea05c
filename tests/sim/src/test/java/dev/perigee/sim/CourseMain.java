package dev.perigee.sim;

import dev.perigee.sim.group.GroupSimulation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs seeds of the groups in a process of its own and writes down the course each took. */
final class CourseMain {
    private CourseMain() {}

    /** A file for the courses, a line each; an empty folder; the seeds. */
    public static void main(String[] args) throws Exception {
        List<String> courses = new ArrayList<>();
        for (int i = 2; i < args.length; i++) {
            courses.add(course(Long.parseLong(args[i]), Path.of(args[1])));
        }
        Files.write(Path.of(args[0]), courses);
    }

    /** The course of a seed, and what did not hold. */
    static String course(long seed, Path folder) throws Exception {
        GroupSimulation run = new GroupSimulation(seed, Files.createDirectories(folder.resolve("seed-" + seed)));
        String problem = run.run();
        return "seed " + seed + ": " + run.course() + (problem.isEmpty() ? "" : ", " + problem);
    }
}

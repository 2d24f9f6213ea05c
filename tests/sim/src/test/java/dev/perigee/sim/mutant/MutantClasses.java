package dev.perigee.sim.mutant;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles the one changed file of a mutant against the classes of the product. */
final class MutantClasses {
    private MutantClasses() {}

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String fileName, String text) {
            super(URI.create("string:///" + fileName), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Puts the mutant's classes into a folder. */
    static void compile(Mutant mutant, Path folder) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        List<String> options = List.of(
                "-d",
                folder.toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-proc:none",
                "-implicit:none",
                "-nowarn");
        List<JavaFileObject> sources = List.of(new Source(mutant.fileName(), mutant.patched()));
        if (!compiler.getTask(said, null, null, options, null, sources).call()) {
            throw new IllegalStateException("the mutant '" + mutant.name() + "' does not compile:\n" + said);
        }
    }
}

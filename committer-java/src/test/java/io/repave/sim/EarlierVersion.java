package io.repave.sim;

import io.repave.core.Table;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.Ports;
import io.repave.core.error.CommitFailedException;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.TaskLedger;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.ledger.Upload;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.TablePaths;
import io.repave.testing.ThreadedRunner;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The engine of an earlier version of Repave. Its classes come from a folder and are loaded apart
 * from those of this version, with the libraries of this version.
 */
final class EarlierVersion implements Protocol {
  /** Where version 0.1 has the classes that are in another package now. */
  private static final List<String> PACKAGES =
      List.of("core", "core.engine", "core.ledger", "core.record");

  private final VersionBridge bridge = new VersionBridge();
  private final ClassLoader classes;
  private final Map<Class<?>, Class<?>> types = new ConcurrentHashMap<>();

  EarlierVersion(Path folder) {
    List<URL> urls = new ArrayList<>(List.of(url(folder)));
    Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> entry.endsWith(".jar"))
        .forEach(jar -> urls.add(url(Path.of(jar))));
    classes = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  @Override
  public boolean includesVersion01() {
    return Stream.of(type(LoggedCommit.class).getRecordComponents())
        .noneMatch(member -> member.getName().equals("publishedMillis"));
  }

  @Override
  public Job begin(World.Process process, EngineSettings settings, JobSpec spec)
      throws IOException, InterruptedException {
    Object request = bridge.carry(spec.request("_SUCCESS"), type(CommitRequest.class));
    Object job = call(table(process, settings), "begin", request);
    return new Job() {
      @Override
      public void commit(Ledger ledger) throws IOException, InterruptedException {
        call(job, "commit", carried(ledger));
      }

      @Override
      public void abort(Ledger ledger) throws IOException, InterruptedException {
        call(job, "abort", carried(ledger));
      }
    };
  }

  @Override
  public void recover(World.Process process) throws IOException, InterruptedException {
    call(table(process), "recover");
  }

  @Override
  public void vacuum(World.Process process, EngineSettings settings, long retention)
      throws IOException, InterruptedException {
    call(table(process, settings), "vacuum", retention);
  }

  @Override
  public void adopt(World.Process process) throws IOException, InterruptedException {
    call(table(process), "adopt");
  }

  @Override
  public void rollback(World.Process process, long version)
      throws IOException, InterruptedException {
    call(table(process), "rollback", version);
  }

  @Override
  public Set<String> files(World.Process process, long version)
      throws IOException, InterruptedException {
    Object table = table(process);
    Object head = ((Optional<?>) call(table, "head")).orElseThrow();
    Object snapshot = call(table, "snapshot", head, version);
    Set<String> files = new TreeSet<>();
    for (Object folder : (Iterable<?>) call(snapshot, "partitions")) {
      for (Object file : (Iterable<?>) call(snapshot, "files", folder)) {
        files.add(folder + "/" + call(file, "name"));
      }
    }
    return files;
  }

  private Object table(World.Process process) throws IOException, InterruptedException {
    return table(process, World.settings(process.world().readers));
  }

  private Object table(World.Process process, EngineSettings settings)
      throws IOException, InterruptedException {
    return call(
        type(Table.class),
        "open",
        bridge.carry(process.ports(), type(Ports.class)),
        bridge.carry(process.world().paths, type(TablePaths.class)),
        bridge.carry(settings, type(EngineSettings.class)));
  }

  /** The same files in the form that the tasks of that version send. */
  private Object carried(Ledger ledger) throws IOException, InterruptedException {
    List<Object> uploads = new ArrayList<>();
    Class<?> upload = type(Upload.class);
    ledger.each(some -> some.forEach(it -> uploads.add(bridge.carry(it, upload))));
    Class<?> ledgers = type(TaskLedgers.class);
    try {
      return ledgers.getConstructor(List.class).newInstance(List.of(encoded(uploads)));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Version 0.1 encodes a list. */
  private Object encoded(List<Object> uploads)
      throws ReflectiveOperationException, IOException, InterruptedException {
    Class<?> task = type(TaskLedger.class);
    if (includesVersion01()) {
      return call(task, "encode", uploads);
    }
    Object ledger = task.getConstructor().newInstance();
    for (Object upload : uploads) {
      call(ledger, "add", upload);
    }
    return call(ledger, "encode");
  }

  /** That version's class of the same name, in whichever package it is there. */
  private Class<?> type(Class<?> now) {
    return types.computeIfAbsent(now, this::loaded);
  }

  private Class<?> loaded(Class<?> now) {
    List<String> names = new ArrayList<>(List.of(now.getName()));
    PACKAGES.forEach(it -> names.add("io.repave." + it + "." + now.getSimpleName()));
    for (String name : names) {
      try {
        return classes.loadClass(name);
      } catch (ClassNotFoundException elsewhere) {
        continue;
      }
    }
    throw new IllegalStateException("The earlier version has no class " + now.getSimpleName());
  }

  private static Object call(Object on, String name, Object... arguments)
      throws IOException, InterruptedException {
    Class<?> type = on instanceof Class<?> of ? of : on.getClass();
    Method method =
        Stream.of(type.getMethods())
            .filter(it -> it.getName().equals(name) && accepts(it, arguments))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException(type + " has no " + name));
    try {
      return method.invoke(on, arguments);
    } catch (InvocationTargetException e) {
      ThreadedRunner.rethrow(ofThisVersion(e.getCause()));
      throw new IllegalStateException(e);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean accepts(Method method, Object... arguments) {
    Class<?>[] types = method.getParameterTypes();
    if (types.length != arguments.length) {
      return false;
    }
    for (int i = 0; i < types.length; i++) {
      if (!types[i].isPrimitive() && !types[i].isInstance(arguments[i])) {
        return false;
      }
    }
    return true;
  }

  /** A commit that failed for certain is a class of its own in each version. */
  private static Throwable ofThisVersion(Throwable failure) {
    for (Class<?> it = failure.getClass(); it != null; it = it.getSuperclass()) {
      if (it.getSimpleName().startsWith("CommitFailed")) {
        return new CommitFailedException(failure.getMessage(), failure);
      }
    }
    return failure;
  }

  private static URL url(Path path) {
    try {
      return path.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalStateException(e);
    }
  }
}

package io.repave.core.scenario;

import io.repave.core.store.Content;
import io.repave.core.store.DeleteFailure;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoredObject;
import io.repave.core.store.Utf8Order;
import io.repave.testing.Dialect;
import io.repave.testing.InterceptingStore;
import io.repave.testing.Joined;
import io.repave.testing.MemoryObjectStore;
import io.repave.testing.VirtualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A store with millions of data files that takes next to no memory, so that a test can measure the
 * engine alone. The files of the table are numbered and computed; what is deleted is one bit each.
 * Long records are on the local disk, everything else is in memory.
 */
final class ManyFilesStore extends InterceptingStore implements AutoCloseable {
  private static final int PAGE = 1_000;
  private static final int SHORT_RECORD = 4_096;
  private static final String ON_DISK = "on disk: ";
  private static final String WRITER = "-550e8400-e29b-4123-8716-446655440000-c000.snappy.parquet";

  private static final Pattern COMPUTED =
      Pattern.compile(".*/dt=(\\d{7})/part-(\\d{5})" + Pattern.quote(WRITER));

  private final Location root;
  private final int partitions;
  private final int filesEach;
  private final Path disk;
  private final BitSet deleted = new BitSet();
  private int written;

  ManyFilesStore(VirtualClock clock, Location root, int partitions, int filesEach)
      throws IOException {
    super(new MemoryObjectStore(Dialect.AWS, clock));
    this.root = root;
    this.partitions = partitions;
    this.filesEach = filesEach;
    this.disk = Files.createTempDirectory("repave-large-");
  }

  static String partition(int number) {
    return "dt=%07d".formatted(number);
  }

  int deleted() {
    return deleted.cardinality();
  }

  private String key(int number) {
    return root.key()
        + "/"
        + partition(number / filesEach)
        + "/part-%05d".formatted(number % filesEach)
        + WRITER;
  }

  /** The number of the first computed file after a key. */
  private int firstAfter(String key) {
    int low = 0;
    int high = partitions * filesEach;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Utf8Order.compare(key(middle), key) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The number of a computed file; empty for other objects. */
  private OptionalInt number(Location at) {
    Matcher file = COMPUTED.matcher(at.key());
    return file.matches()
        ? OptionalInt.of(
            Integer.parseInt(file.group(1)) * filesEach + Integer.parseInt(file.group(2)))
        : OptionalInt.empty();
  }

  @Override
  public ListPage list(Location folder, String after) throws StoreException {
    ListPage others = super.list(folder, after);
    String start = Utf8Order.compare(after, folder.prefix()) < 0 ? folder.prefix() : after;
    List<ListedObject> found = new ArrayList<>(others.objects());
    int number = firstAfter(start);
    int added = 0;
    for (; number < partitions * filesEach && added <= PAGE; number++) {
      String key = key(number);
      boolean beyond = others.more() && Utf8Order.compare(key, others.last()) > 0;
      if (beyond || !key.startsWith(folder.prefix())) {
        break;
      }
      if (!deleted.get(number)) {
        found.add(new ListedObject(key, 1, "computed", 0, ListedObject.UNKNOWN_AGE));
        added++;
      }
    }
    found.sort((a, b) -> Utf8Order.compare(a.key(), b.key()));
    boolean more = others.more() || found.size() > PAGE;
    return ListPage.after(after, found.subList(0, Math.min(PAGE, found.size())), more);
  }

  @Override
  public List<DeleteFailure> delete(List<Location> keys) throws StoreException {
    List<Location> others = new ArrayList<>();
    for (Location at : keys) {
      OptionalInt number = number(at);
      if (number.isPresent()) {
        synchronized (deleted) {
          deleted.set(number.getAsInt());
        }
      } else {
        others.add(at);
      }
    }
    return others.isEmpty() ? List.of() : super.delete(others);
  }

  @Override
  public Optional<StoredObject> read(Location at, long maxBytes) throws StoreException {
    Optional<StoredObject> stored = super.read(at, maxBytes);
    String text =
        new String(
            stored.map(StoredObject::content).orElse(new byte[0]), StandardCharsets.ISO_8859_1);
    if (!text.startsWith(ON_DISK)) {
      return stored;
    }
    try {
      byte[] content = Files.readAllBytes(disk.resolve(text.substring(ON_DISK.length())));
      return Optional.of(new StoredObject(content, stored.orElseThrow().etag()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String put(Location at, Content content) throws StoreException {
    return super.put(at, Content.of(held(Joined.copy(content))));
  }

  @Override
  public String putIfAbsent(Location at, ByteBuffer content) throws StoreException {
    return super.putIfAbsent(at, held(content));
  }

  /** What is kept in memory of a record. */
  private synchronized ByteBuffer held(ByteBuffer content) {
    if (content.remaining() <= SHORT_RECORD) {
      return content;
    }
    String name = Integer.toString(++written);
    byte[] bytes = new byte[content.remaining()];
    content.duplicate().get(bytes);
    try {
      Files.write(disk.resolve(name), bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ByteBuffer.wrap((ON_DISK + name).getBytes(StandardCharsets.ISO_8859_1));
  }

  @Override
  public void close() throws IOException {
    for (int name = 1; name <= written; name++) {
      Files.deleteIfExists(disk.resolve(Integer.toString(name)));
    }
    Files.deleteIfExists(disk);
  }
}

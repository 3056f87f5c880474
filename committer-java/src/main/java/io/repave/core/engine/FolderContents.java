package io.repave.core.engine;

import io.repave.core.ledger.PartFileName;
import io.repave.core.store.Location;
import io.repave.core.store.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which files are in which folders. For each folder it holds a number and a sum over the hashes of
 * the names, in any order: the names of a large table would not fit into memory.
 */
public final class FolderContents {
  /** The files of one folder. */
  public record Files(long number, long hashes) {
    private static final Files NONE = new Files(0, 0);

    private Files with(long hash) {
      return new Files(number + 1, hashes + hash);
    }
  }

  private final Map<Location, Files> folders = new HashMap<>();
  private final MessageDigest digest = Sha256.create();

  /** Adds a file. One in the folder of its commit counts in the folder that contains that one. */
  public void add(Location file) {
    Location folder = file.parent();
    String name = file.name();
    String inCommit = folder.name() + "/" + name;
    if (PartFileName.withoutFolder(inCommit).equals(name)) {
      folder = folder.parent();
      name = inCommit;
    }
    byte[] hash = digest.digest(name.getBytes(StandardCharsets.UTF_8));
    long first = ByteBuffer.wrap(hash).getLong();
    folders.merge(folder, Files.NONE.with(first), (before, one) -> before.with(one.hashes()));
  }

  /** The folders that contain files. */
  public Set<Location> folders() {
    return Collections.unmodifiableSet(folders.keySet());
  }

  /** The files of a folder; none for one that it does not know. */
  public Files in(Location folder) {
    return Optional.ofNullable(folders.get(folder)).orElse(Files.NONE);
  }
}

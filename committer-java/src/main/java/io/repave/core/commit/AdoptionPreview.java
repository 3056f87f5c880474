package io.repave.core.commit;

import java.util.List;

/**
 * What an adoption would change.
 *
 * @param version the table's version now; 0 without records
 * @param added the files that it would add to the records, by their folders
 * @param gone recorded files that no longer exist
 */
public record AdoptionPreview(long version, List<FolderSize> added, long gone) {
  public AdoptionPreview {
    added = List.copyOf(added);
  }
}

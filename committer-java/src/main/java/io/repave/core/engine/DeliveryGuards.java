package io.repave.core.engine;

import java.math.BigDecimal;
import java.util.List;

/**
 * What a job must not do. A job that does it fails before it is decided.
 *
 * @param only the partition folders that the job may touch, in the form of {@link
 *     io.repave.core.record.TablePaths#partition}, with all folders inside them; empty for all
 * @param shrink the part of its rows, from 0 to 1, that a replaced partition must have afterwards
 * @param reads the files that the job may replace in the folders that its query reads: those that
 *     it has read, and all of these must be there
 */
public record DeliveryGuards(List<String> only, BigDecimal shrink, List<OwnRead> reads) {
  public static final DeliveryGuards NONE = new DeliveryGuards(List.of(), BigDecimal.ZERO);

  public DeliveryGuards {
    only = List.copyOf(only);
    reads = List.copyOf(reads);
  }

  public DeliveryGuards(List<String> only, BigDecimal shrink) {
    this(only, shrink, List.of());
  }

  /** The same for a job whose query reads the table. */
  public DeliveryGuards reading(List<OwnRead> own) {
    return new DeliveryGuards(only, shrink, own);
  }

  public boolean limitsFolders() {
    return !only.isEmpty();
  }

  public boolean limitsShrinking() {
    return shrink.signum() > 0;
  }
}

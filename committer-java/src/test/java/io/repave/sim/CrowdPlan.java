package io.repave.sim;

import io.repave.core.engine.EngineSettings;
import io.repave.core.record.Readers;
import io.repave.testing.Dialect;
import io.repave.testing.EngineSettingsDraft;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What a seed decides of a crowd before it begins.
 *
 * @param thinkMillis the longest pause between two jobs of a writer
 * @param workMillis the longest time of a job's tasks
 * @param vacuums how often a vacuum runs
 */
record CrowdPlan(
    Recipe recipe,
    Readers readers,
    Dialect dialect,
    int writers,
    int jobs,
    int thinkMillis,
    int workMillis,
    int faultsPerThousand,
    Timeline.Pace pace,
    int vacuums,
    CrowdRules.Retention retention,
    EngineSettings settings) {

  /** What a crowd does. */
  enum Recipe {
    /** Writers of all kinds, with tokens, vacuums and an administrator. */
    MIXED,
    /** A table that is only appended to. */
    APPENDS,
    /** Programs that use tokens again: in a restart rightly, for another write wrongly. */
    PROGRAMS,
    /** Steady appenders, and an overwrite of the whole table that wants to get in. */
    BUSY,
    /** A driver that sleeps after an unanswered reservation for longer than the head's log. */
    SLEEPER,
    /** An operator who cancels commits of drivers that sleep before their plan. */
    CANCEL,
    /** More writers than the head has room for. */
    HUNDRED,
    /** Records vanish or become unreadable. */
    ROT,
    /** Listings break the contract of the store. */
    ODD_LISTINGS,
    /** Thousands of commits of three writers, with deaths, freezes and many vacuums. */
    LIFE
  }

  private static final List<Dialect> DIALECTS =
      List.of(Dialect.AWS, Dialect.FORGETFUL, Dialect.CONFUSED);
  private static final long HOUR = 3_600_000;

  /** Commits of one long life. */
  static final int LIFE = Integer.getInteger("life", 600);

  /** A recipe for a seed; those that cost much are rare. */
  static Recipe recipe(SplittableRandom random) {
    int dice = random.nextInt(400);
    if (dice == 0) {
      return Recipe.HUNDRED;
    }
    if (dice < 16) {
      return dice < 8 ? Recipe.BUSY : Recipe.SLEEPER;
    }
    List<Recipe> often =
        List.of(Recipe.MIXED, Recipe.MIXED, Recipe.APPENDS, Recipe.CANCEL, Recipe.ROT);
    if (dice >= 56 && dice < 76) {
      return Recipe.PROGRAMS;
    }
    return dice < 56 ? Recipe.ODD_LISTINGS : often.get(random.nextInt(often.size()));
  }

  static CrowdPlan draw(SplittableRandom random, Recipe recipe) {
    boolean snapshot = random.nextInt(2) == 0 && recipe != Recipe.ODD_LISTINGS;
    Readers readers = snapshot ? Readers.SNAPSHOT : Readers.LISTING;
    boolean life = recipe == Recipe.LIFE;
    boolean quiet = recipe.compareTo(Recipe.BUSY) >= 0 && recipe != Recipe.ROT && !life;
    int faults = quiet ? 0 : life ? 3 : pick(random, 0, 0, 5, 30);
    int freezes = quiet ? 0 : life ? 1_000 : pick(random, 0, 2_000, 10_000);
    int vacuums = quiet && recipe != Recipe.ODD_LISTINGS ? 0 : random.nextInt(5);
    vacuums = life ? LIFE / 12 : vacuums;
    CrowdRules.Retention retention = retention(random);
    EngineSettings settings =
        EngineSettingsDraft.of(World.SETTINGS)
            .readers(readers)
            .heartbeatMillis(random.nextInt(4) == 0 ? 0 : 200)
            .historyRetentionMillis(retention.historyMillis())
            .done();
    return new CrowdPlan(
        recipe,
        readers,
        DIALECTS.get(random.nextInt(DIALECTS.size())),
        writers(random, recipe),
        jobs(random, recipe),
        recipe == Recipe.BUSY || recipe == Recipe.HUNDRED ? 1 : pick(random, 1, 500, 4_000),
        recipe == Recipe.BUSY ? 1 : pick(random, 1, 300, 3_000),
        faults,
        new Timeline.Pace(40, freezes, 30_000, life ? LIFE * HOUR : HOUR),
        vacuums,
        retention,
        settings);
  }

  private static CrowdRules.Retention retention(SplittableRandom random) {
    long millis = pick(random, 0, 5_000, 30_000);
    return new CrowdRules.Retention(millis, Math.max(millis, pick(random, 0, 10_000, 60_000)));
  }

  private static int writers(SplittableRandom random, Recipe recipe) {
    return switch (recipe) {
      case HUNDRED -> 70;
      case BUSY -> 7;
      case SLEEPER -> 5;
      case LIFE -> 3;
      default -> 2 + random.nextInt(5);
    };
  }

  private static int jobs(SplittableRandom random, Recipe recipe) {
    return switch (recipe) {
      case HUNDRED -> 1;
      case BUSY -> 25;
      case SLEEPER -> 18;
      case LIFE -> LIFE / 3;
      default -> 1 + random.nextInt(5);
    };
  }

  private static int pick(SplittableRandom random, int... values) {
    return values[random.nextInt(values.length)];
  }

  /** True when nothing goes wrong, so that every job that conflicts with none must succeed. */
  boolean calm() {
    return faultsPerThousand == 0 && vacuums == 0 && recipe.compareTo(Recipe.BUSY) <= 0
        || recipe == Recipe.HUNDRED;
  }

  /** True when records or listings are wrong: then only rows count, not that all succeed. */
  boolean hostile() {
    return recipe == Recipe.ROT || recipe == Recipe.ODD_LISTINGS;
  }
}

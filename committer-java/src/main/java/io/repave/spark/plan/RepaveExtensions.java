package io.repave.spark.plan;

import io.repave.spark.bridge.SneakyThrow;
import io.repave.spark.check.ManagedTableCheck;
import io.repave.spark.check.PlanCheck;
import io.repave.spark.check.RepairCheck;
import io.repave.spark.check.TimeTravelCheck;
import io.repave.spark.check.TruncateStrategy;
import io.repave.spark.token.PlannedWriteRule;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Function;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import scala.Function1;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Adds {@link RepairCheck}, {@link ManagedTableCheck}, {@link TruncateStrategy}, {@link
 * TimeTravelCheck}, {@link PlannedWriteRule} and the rules of this package to each session. Spark
 * finds this class by Java's ServiceLoader, so it needs no conf. PySpark 3.5 does not look there;
 * it finds the class by {@code spark.sql.extensions}.
 *
 * <p>Spark 3.5 lists a path before any rule sees it, so there it plans nothing from records.
 */
public final class RepaveExtensions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit>
    implements SparkSessionExtensionsProvider {
  private static final String FIRST_OF_SPARK_4 =
      "org.apache.spark.sql.catalyst.plans.logical.UnresolvedDataSource";

  /** Those that have the rules: Spark calls this class once for each way by which it finds it. */
  private static final Set<SparkSessionExtensions> EXTENDED =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    if (!EXTENDED.add(extensions)) {
      return BoxedUnit.UNIT;
    }
    extensions.injectCheckRule(ofSession(session -> of(new RepairCheck(session))));
    extensions.injectCheckRule(ofSession(session -> of(new ManagedTableCheck(session))));
    extensions.injectCheckRule(ofSession(session -> of(new TimeTravelCheck())));
    extensions.injectOptimizerRule(ofSession(session -> new PlannedWriteRule()));
    extensions.injectPlannerStrategy(ofSession(session -> new TruncateStrategy()));
    if (isSpark4()) {
      // Rules for hints run before the rule by which Spark lists a path.
      extensions.injectHintResolutionRule(rule(PathsOfOneVersion::new));
      extensions.injectHintResolutionRule(rule(PlanFromRecords::new));
      extensions.injectPostHocResolutionRule(rule(session -> new VersionsOfCommands()));
      extensions.injectOptimizerRule(rule(NamesFromRecords::new));
      extensions.injectOptimizerRule(rule(ListedVersions::new));
      extensions.injectOptimizerRule(rule(VersionWhenPlanned::new));
      // These rules run after Spark has selected partitions by the query's filters.
      extensions.injectPreCBORule(rule(PartitionsWhenPlanned::new));
    }
    return BoxedUnit.UNIT;
  }

  private static Function1<LogicalPlan, BoxedUnit> of(PlanCheck check) {
    return new AbstractFunction1<>() {
      @Override
      public BoxedUnit apply(LogicalPlan plan) {
        try {
          check.check(plan);
        } catch (Exception e) {
          throw SneakyThrow.as(e);
        }
        return BoxedUnit.UNIT;
      }
    };
  }

  private static <T> Function1<SparkSession, T> ofSession(Function<SparkSession, T> made) {
    return new AbstractFunction1<>() {
      @Override
      public T apply(SparkSession session) {
        return made.apply(session);
      }
    };
  }

  private static Function1<SparkSession, Rule<LogicalPlan>> rule(
      Function<org.apache.spark.sql.classic.SparkSession, Rule<LogicalPlan>> made) {
    return ofSession(session -> made.apply((org.apache.spark.sql.classic.SparkSession) session));
  }

  private static boolean isSpark4() {
    try {
      Class.forName(FIRST_OF_SPARK_4, false, SparkSession.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}

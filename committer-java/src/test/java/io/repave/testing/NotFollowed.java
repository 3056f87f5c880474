package io.repave.testing;

import io.repave.core.engine.Progress;
import io.repave.core.engine.Step;
import java.util.ArrayList;
import java.util.List;

/** Hears which followers a commit could not bring to its version, and why. */
public final class NotFollowed implements Progress {
  private final List<String> told = new ArrayList<>();

  /** What was told, each as {@code follower: why}. */
  public List<String> told() {
    return told;
  }

  @Override
  public void at(Step step, long done, long total) {}

  @Override
  public void notFollowed(String follower, String why) {
    told.add(follower + ": " + why);
  }
}

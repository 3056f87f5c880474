package io.repave.testing;

import io.repave.testing.Dialect.Pages;

/** The size of each page of a listing, which the dialect determines. */
final class PageSizes {
  private final Pages pages;
  private long random;
  private boolean lastWasEmpty;

  PageSizes(Pages pages) {
    this.pages = pages;
    this.random = pages.seed();
  }

  PageSizes copy() {
    PageSizes copy = new PageSizes(pages);
    copy.random = random;
    copy.lastWasEmpty = lastWasEmpty;
    return copy;
  }

  int next() {
    if (!pages.uneven()) {
      return pages.most();
    }
    random = random * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
    // Never two empty pages in a row, so that every listing ends.
    int least = lastWasEmpty ? 1 : 0;
    int size = least + (int) ((random >>> 33) % (pages.most() + 1 - least));
    lastWasEmpty = size == 0;
    return size;
  }
}

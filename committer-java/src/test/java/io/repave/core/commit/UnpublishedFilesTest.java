package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.conflict.CancelledCommits;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.testing.TestTable;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class UnpublishedFilesTest {
  private final TestTable table = new TestTable();

  @Test
  void theFilesOfAPublishedCommitAreNotAmongThem() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    assertThat(unpublished(table.context(), table.head()).contain(onlyName())).isFalse();
  }

  /** Its files were in the listing, and a newer head may not know it any more. */
  @Test
  void theFilesOfACommitThatWasRevertedAndForgottenDuringTheListingAreAmongThem() throws Exception {
    CommitId commit = table.unfinished(Step.PUBLISH, CommitKind.APPEND, "dt=1");
    String name = onlyName();
    Head before = table.head();
    TableContext context = table.context();
    VersionedHead seen = context.heads().read();
    context.heads().update(seen, now -> now.map(head -> head.without(commit)));
    assertThat(unpublished(context, table.head()).contain(name)).isFalse();
    assertThat(unpublished(context, before).contain(name)).isTrue();
  }

  /** It began after the head that the listing belongs to, so no head that was read names it. */
  @Test
  void theFilesOfACommitThatBeganAndWasForgottenDuringTheListingAreAmongThem() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    Head before = table.head();
    String published = onlyName();
    TableContext context = table.context();
    CommitId commit = table.unfinished(Step.PUBLISH, CommitKind.APPEND, "dt=2");
    String name = table.files().stream().filter(file -> file.contains("dt=2")).findAny().get();
    new CancelledCommits(context).add(commit.id());
    VersionedHead seen = context.heads().read();
    context
        .heads()
        .update(seen, now -> now.map(head -> head.without(commit).change().fence("new").done()));

    UnpublishedFiles unpublished = unpublished(context, before);
    assertThat(unpublished.contain(name.substring(name.lastIndexOf('/') + 1))).isTrue();
    long requests = table.requests();
    assertThat(unpublished.contain(published)).isFalse();
    assertThat(unpublished.contain(published)).isFalse();
    assertThat(table.requests() - requests).as("one lookup of a commit").isEqualTo(1);
  }

  /** Without a revert since the head, no mark is looked up. */
  @Test
  void noMarkIsLookedUpWhileTheFenceIsTheSame() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    UnpublishedFiles unpublished = unpublished(table.context(), table.head());
    long requests = table.requests();
    assertThat(unpublished.contain(onlyName())).isFalse();
    assertThat(table.requests()).isEqualTo(requests);
  }

  private static UnpublishedFiles unpublished(TableContext context, Head head) throws Exception {
    return UnpublishedFiles.after(context, head, head.version());
  }

  private String onlyName() throws Exception {
    String file = new TreeSet<>(table.files()).first();
    return file.substring(file.lastIndexOf('/') + 1);
  }

  /** It began after the head that the listing belongs to, and may still be reverted. */
  @Test
  void theFilesOfACommitThatBeganDuringTheListingAreAmongThem() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    Head before = table.head();
    table.unfinished(Step.PUBLISH, CommitKind.APPEND, "dt=2");
    String name = table.files().stream().filter(file -> file.contains("dt=2")).findAny().get();
    UnpublishedFiles unpublished = unpublished(table.context(), before);
    assertThat(unpublished.contain(name.substring(name.lastIndexOf('/') + 1))).isTrue();
  }
}

package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

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
    assertThat(UnpublishedFiles.after(table.context(), table.head()).contain(onlyName())).isFalse();
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
    assertThat(UnpublishedFiles.after(context, table.head()).contain(name)).isFalse();
    assertThat(UnpublishedFiles.after(context, before).contain(name)).isTrue();
  }

  private String onlyName() throws Exception {
    String file = new TreeSet<>(table.files()).first();
    return file.substring(file.lastIndexOf('/') + 1);
  }
}

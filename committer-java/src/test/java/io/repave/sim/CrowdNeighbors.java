package io.repave.sim;

import io.repave.core.engine.EngineSettings;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.testing.HeldUpload;
import io.repave.testing.InterceptingStore;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/** Who else touches the store of a crowd: people, lifecycle rules, broken stores, long sleeps. */
final class CrowdNeighbors {
  private final World world;
  private final Timeline timeline;

  CrowdNeighbors(World world, Timeline timeline) {
    this.world = world;
    this.timeline = timeline;
  }

  /** An administrator aborts an open upload, as a lifecycle rule does. */
  void abortAnUpload(SplittableRandom random) {
    timeline.sleep(1 + random.nextInt(10_000));
    List<HeldUpload> open = world.store.openUploads();
    if (!open.isEmpty()) {
      HeldUpload chosen = open.get(random.nextInt(open.size()));
      world.store.abort(chosen.at(), chosen.uploadId());
    }
  }

  /** Records vanish, or become unreadable. The head, marks and tokens are not among them. */
  void rot(SplittableRandom random) {
    int times = 1 + random.nextInt(4);
    for (int i = 0; i < times; i++) {
      timeline.sleep(1 + random.nextInt(3_000));
      List<Location> records =
          world.store.objects().keySet().stream()
              .filter(world.paths.records()::holds)
              .filter(at -> !at.equals(world.paths.head()))
              .filter(at -> !at.key().contains("/refused/") && !at.key().contains("/tokens/"))
              .toList();
      if (!records.isEmpty()) {
        spoil(records.get(random.nextInt(records.size())), random);
      }
    }
  }

  private void spoil(Location at, SplittableRandom random) {
    byte[] content = world.store.objects().get(at).content();
    try {
      switch (random.nextInt(3)) {
        case 0 -> world.store.delete(List.of(at));
        case 1 -> world.store.put(at, ByteBuffer.wrap(new byte[] {'{'}));
        default ->
            world.store.put(
                at, ByteBuffer.wrap(Arrays.copyOf(content, random.nextInt(content.length + 1))));
      }
    } catch (StoreException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A store whose listings now and then break the contract in a way that a reader can see. */
  static ObjectStore oddListings(ObjectStore store, SplittableRandom random) {
    return new InterceptingStore(store) {
      @Override
      public ListPage list(Location folder, String after) throws StoreException {
        int dice = random.nextInt(8);
        if (dice == 0 && !after.isEmpty()) {
          return super.list(folder, "");
        }
        ListPage page = super.list(folder, after);
        List<ListedObject> objects = new ArrayList<>(page.objects());
        if (dice == 1 && objects.size() > 1) {
          objects.add(0, objects.remove(objects.size() - 1));
        } else if (dice == 2 && !objects.isEmpty()) {
          objects.add(objects.get(objects.size() - 1));
        } else if (dice == 3) {
          objects.add(new ListedObject("other/p=1/old", 1, "etag", 0, ListedObject.UNKNOWN_AGE));
        }
        return new ListPage(objects, page.more(), page.last());
      }
    };
  }

  /** A driver that freezes between its reservation and its plan. */
  UnaryOperator<ObjectStore> freezingAfterReserve(int millis) {
    boolean[] frozen = {false};
    return store ->
        new InterceptingStore(store) {
          @Override
          protected <T> T intercept(StoreCall call, Location at, Call<T> run)
              throws StoreException {
            T answer = run.run();
            if (!frozen[0] && call == StoreCall.PUT_IF_MATCH && world.paths.head().equals(at)) {
              frozen[0] = true;
              timeline.freeze(millis);
            }
            return answer;
          }
        };
  }

  /** The same when the answer is lost; meanwhile a file of its commit is lost as well. */
  UnaryOperator<ObjectStore> freezingAfterLostAnswer(JobSpec spec, int millis) {
    boolean[] frozen = {false};
    return store ->
        new InterceptingStore(store) {
          @Override
          protected <T> T intercept(StoreCall call, Location at, Call<T> run)
              throws StoreException {
            try {
              return run.run();
            } catch (StoreException e) {
              if (!frozen[0] && call.conditional() && world.paths.head().equals(at)) {
                frozen[0] = true;
                lose(spec);
                timeline.freeze(millis);
              }
              throw e;
            }
          }
        };
  }

  private void lose(JobSpec spec) {
    Location at = world.paths.root().resolve(spec.files().get(0));
    for (HeldUpload open : world.store.openUploads()) {
      if (open.at().equals(at)) {
        world.store.abort(at, open.uploadId());
      }
    }
    // Nobody deletes a file of a commit that is not decided, unless a mark forbids the commit. The
    // driver goes on after its sleep, and would not look for a file that its task has put.
    boolean decided =
        world.checker.head().filter(it -> it.activeIds().contains(spec.commit())).isPresent();
    if (decided) {
      world.store.delete(List.of(at));
    }
  }

  /** An operator cancels a commit that has no manifest; sometimes its ledger is lost as well. */
  void cancelOne(World.Process process, EngineSettings settings, SplittableRandom random) {
    List<ActiveCommit> active = world.checker.head().map(Head::active).orElse(List.of());
    for (ActiveCommit commit : active) {
      boolean planned = world.store.objects().containsKey(world.paths.manifest(commit.id()));
      if (commit.state() == CommitState.PENDING && !planned) {
        cancel(process, settings, commit, random.nextInt(3) == 0);
        return;
      }
    }
  }

  private void cancel(
      World.Process process, EngineSettings settings, ActiveCommit commit, boolean loses) {
    try {
      if (loses) {
        world.store.delete(List.of(world.paths.uploads(commit.id())));
      }
      process.table(settings).cancel(commit.id().id());
    } catch (IOException | ProcessDied refused) {
      // The commit was planned or finished meanwhile.
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}

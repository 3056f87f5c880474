package io.repave.hadoop.upload;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.testing.Unchecked;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SharedUploadsTest {

  @Test
  void threadsAreBoundedKeepNoJvmAliveAndEndWhenIdle() throws InterruptedException {
    // Threads of other tests in this JVM may not have been idle long enough yet.
    Set<Thread> others = Set.copyOf(uploading());
    SharedUploads uploads = new SharedUploads(3, 1_000, 50);
    CountDownLatch started = new CountDownLatch(3);
    CountDownLatch released = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(20);
    for (int i = 0; i < 20; i++) {
      uploads
          .pool()
          .execute(
              () -> {
                started.countDown();
                Unchecked.run(released::await);
                ended.countDown();
              });
    }
    started.await();
    assertThat(besides(others)).hasSize(3).allMatch(Thread::isDaemon);
    released.countDown();
    ended.await();
    while (!besides(others).isEmpty()) {
      Thread.sleep(10);
    }
  }

  @Test
  void theFirstWriteOfAJvmDecidesHowMuchThereIs() {
    SharedUploads first = SharedUploads.ofJvm(2, 50_000_000);
    assertThat(SharedUploads.ofJvm(99, 1)).isSameAs(first);
  }

  private static List<Thread> besides(Set<Thread> others) {
    return uploading().stream().filter(thread -> !others.contains(thread)).toList();
  }

  private static List<Thread> uploading() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("repave-upload-"))
        .toList();
  }
}

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The time that the processor spends on a body in this thread: other programs take none of it, and waits for a disk do not count.
package func processorTime(_ body: () throws -> Void) rethrows -> Duration {
  func now() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
  let start = now()
  try body()
  return now() - start
}

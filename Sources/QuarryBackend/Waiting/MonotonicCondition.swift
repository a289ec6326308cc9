#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A lock with a condition whose timed waits follow a clock that no one sets.
///
/// `NSCondition.wait(until:)` and, on Linux, `DispatchSemaphore.wait(timeout:)` end at a time of the wall clock: when that
/// is set back they wait for as long as it was set back.
package final class MonotonicCondition: @unchecked Sendable {
  // Unchecked: both pointers are constant, and the functions of pthread may be called on them by any thread. They are
  // freed with the last reference, when no thread can be in a call.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  package init() {
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    #if canImport(Darwin)
      pthread_cond_init(condition, nil)
    #else
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    #endif
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  package func lock() { pthread_mutex_lock(mutex) }
  package func unlock() { pthread_mutex_unlock(mutex) }
  package func signal() { pthread_cond_signal(condition) }
  package func broadcast() { pthread_cond_broadcast(condition) }

  /// Calls the body with the lock held.
  package func withLock<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    lock()
    defer { unlock() }
    return try body()
  }

  /// Waits for a signal. The caller holds the lock, and looks again at what it waits for.
  package func wait() { pthread_cond_wait(condition, mutex) }

  /// Waits for a signal until the deadline; without end where it is nil. The caller holds the lock, and looks again at
  /// what it waits for.
  ///
  /// - Returns: Whether the deadline has not passed yet.
  package func wait(until deadline: ContinuousClock.Instant?) -> Bool {
    guard let deadline else {
      wait()
      return true
    }
    // A wait of more than a day ends early, and its caller looks again: no number of seconds overflows below.
    let left = min(deadline - .now, .seconds(86_400))
    guard left > .zero else { return false }
    let (seconds, attoseconds) = left.components
    #if canImport(Darwin)
      var duration = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
      pthread_cond_timedwait_relative_np(condition, mutex, &duration)
    #else
      var end = timespec()
      clock_gettime(CLOCK_MONOTONIC, &end)
      end.tv_sec += Int(seconds)
      end.tv_nsec += Int(attoseconds / 1_000_000_000)
      if end.tv_nsec >= 1_000_000_000 {
        end.tv_sec += 1
        end.tv_nsec -= 1_000_000_000
      }
      pthread_cond_timedwait(condition, mutex, &end)
    #endif
    return deadline > .now
  }
}

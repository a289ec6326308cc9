import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// Two threads that change a number: `probe ordered` with a Mutex that they wait for, `probe race` without one. By the second
// ThreadSanitizer shows that it finds what it should, by the first that it takes no lock for a race.

final class Shared: @unchecked Sendable {
  // Unchecked: a race is what the probe is for.
  let lock = Mutex(0)
  var number = 0
}

let shared = Shared()
let isOrdered = CommandLine.arguments.last == "ordered"

func count() {
  for turn in 0..<20_000 {
    if isOrdered {
      shared.lock.withLock { _ in
        shared.number += 1
        // So that the other one has to wait now and then.
        if turn % 100 == 0 { usleep(10) }
      }
    } else {
      shared.number += 1
    }
  }
}

var threads = [pthread_t](repeating: pthread_t(), count: 2)
for place in threads.indices {
  pthread_create(&threads[place], nil, { _ in
    count()
    return nil
  }, nil)
}
for thread in threads { pthread_join(thread, nil) }
print(isOrdered ? "ordered, \(shared.number)" : "without order")

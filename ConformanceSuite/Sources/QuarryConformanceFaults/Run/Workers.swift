import Foundation
import Synchronization

/// Threads that share work.
enum Workers {
  private struct State<R> {
    var next = 0
    var results: [Int: R] = [:]
  }

  private final class Shared<R: Sendable>: Sendable {
    let state = Mutex(State<R>())
  }

  /// The results of so many pieces of work, in their order. Blocks its thread.
  static func run<R: Sendable>(
    _ count: Int, jobs: Int, _ body: @escaping @Sendable (Int) -> R
  ) -> [R] {
    let shared = Shared<R>()
    let group = DispatchGroup()
    for _ in 0..<max(1, min(jobs, count)) {
      group.enter()
      let thread = Thread {
        while true {
          let place = shared.state.withLock { state in
            state.next += 1
            return state.next - 1
          }
          guard place < count else { break }
          let result = body(place)
          shared.state.withLock { $0.results[place] = result }
        }
        group.leave()
      }
      thread.start()
    }
    group.wait()
    return shared.state.withLock { state in state.results.sorted { $0.key < $1.key }.map(\.value) }
  }
}

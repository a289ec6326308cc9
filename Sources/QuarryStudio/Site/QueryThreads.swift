import QuarryBackend
import QuarryCore
import Synchronization

/// Runs queries on threads of their own, and answers when one takes too long.
///
/// An engine cannot be stopped inside one of its calls: such a query goes on, unseen, and counts among those that run until it
/// ends, so that slow queries cannot pile up.
final class QueryThreads: Sendable {
  /// The most queries that run at the same time.
  static let most = 8

  private let running = Mutex(0)

  /// - Throws: `busy` when too many queries run; `limitExceeded` when the time is over; the error of the body.
  func run<R: Sendable>(_ seconds: Double, _ body: @escaping @Sendable (Deadline) throws -> R) async throws -> R {
    let hasRoom = running.withLock { running in
      guard running < Self.most else { return false }
      running += 1
      return true
    }
    guard hasRoom else { throw StorageError(.busy, "too many queries are still running: try again in a moment") }
    let answer = Answer<R>()
    return try await withCheckedThrowingContinuation { continuation in
      answer.set(continuation)
      Task {
        let result: Result<R, any Error>
        do {
          result = .success(try await Store.onThread { try body(Deadline(after: seconds)) })
        } catch {
          result = .failure(error)
        }
        self.running.withLock { $0 -= 1 }
        answer.give(result)
      }
      Task {
        // A little later than the deadline that the query sees, whose message is better.
        try? await Task.sleep(for: .seconds(seconds + 0.25))
        answer.give(
          .failure(
            StorageError(
              .limitExceeded,
              "the query takes longer than \(Int(seconds)) seconds: narrow the condition, or give it an index")))
      }
    }
  }

  /// A continuation that is resumed once.
  private final class Answer<R: Sendable>: Sendable {
    private let waiting = Mutex<CheckedContinuation<R, any Error>?>(nil)

    func set(_ continuation: CheckedContinuation<R, any Error>) { waiting.withLock { $0 = continuation } }

    func give(_ result: Result<R, any Error>) {
      let continuation = waiting.withLock { waiting in
        defer { waiting = nil }
        return waiting
      }
      continuation?.resume(with: result)
    }
  }
}

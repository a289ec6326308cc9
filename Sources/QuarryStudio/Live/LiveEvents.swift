import QuarryBackend
import QuarryCore
import Synchronization

/// The commits of a store as server-sent events: each has the number of the newest state, and nothing of the store's content.
struct LiveEvents: Sendable {
  /// The most streams of one Studio.
  static let most = 32
  /// The seconds between two comments, by which a closed connection is noticed.
  static let secondsBetweenComments = 15.0

  let store: Store
  /// The models whose commits are sent; nil for all.
  let models: Set<String>?
  /// The state that the page was made from, as the browser sent it.
  let since: String?
  let running: LiveCount

  /// Begins to observe the store.
  func start() -> LiveStream {
    let (texts, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(64))
    running.begin()
    let work = [
      Task {
        // A browser that lost the connection waits for two seconds.
        continuation.yield("retry: 2000\n\n")
        do {
          // Observation begins before the state is compared: no commit is missed between the two.
          var commits = store.commits().makeAsyncIterator()
          let version = try await Store.onThread { try store.read { tx in try tx.version } }
          if version.description != since { continuation.yield(Self.event(version)) }
          while let commit = try await commits.next() {
            if concerns(commit) { continuation.yield(Self.event(commit.version)) }
          }
        } catch {
          // The page asks again, and shows the error.
          continuation.yield("event: ended\ndata: 1\n\n")
        }
        continuation.finish()
      },
      Task {
        while !Task.isCancelled {
          try? await Task.sleep(for: .seconds(Self.secondsBetweenComments))
          continuation.yield(": open\n\n")
        }
      },
    ]
    let running = running
    continuation.onTermination = { _ in
      for task in work { task.cancel() }
      running.end()
    }
    return LiveStream(texts: texts, end: { continuation.finish() })
  }

  private func concerns(_ commit: CommitChange) -> Bool {
    guard !commit.isUnknown, let models else { return true }
    return commit.models.contains { models.contains($0.model) }
  }

  private static func event(_ version: CommitVersion) -> String {
    "event: change\nid: \(version)\ndata: \(version)\n\n"
  }
}

/// The events of one browser.
struct LiveStream: Sendable {
  let texts: AsyncStream<String>
  let end: @Sendable () -> Void
}

/// Counts the streams that are open.
final class LiveCount: Sendable {
  private let count = Mutex(0)

  var hasRoom: Bool { count.withLock { $0 < LiveEvents.most } }

  func begin() { count.withLock { $0 += 1 } }
  func end() { count.withLock { $0 -= 1 } }
}

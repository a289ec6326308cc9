import ArgumentParser
import Foundation
import QuarryBackend
import QuarryCore
import Synchronization

struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Prints the changes of objects as they are committed.",
    discussion: """
      Prints a line for each object at the beginning. Then, for each commit of any process, it prints a line for each \
      object that was added (+), removed (-), moved (>) or changed (~), until it is interrupted. In jsonl each line is \
      an object with "event" (initial, inserted, deleted, moved, updated), "version" and "place"; an update also has \
      "old" and "properties".
      """)

  enum Format: String, CaseIterable, ExpressibleByArgument { case text, jsonl }

  @OptionGroup var store: StoreArgument
  @OptionGroup var model: ModelArgument
  @OptionGroup var options: QueryOptions

  @Option(name: .long, help: "The output format: \(Format.allCases.map(\.rawValue).joined(separator: ", ")).")
  var format = Format.text

  @Option(
    name: .long,
    help: ArgumentHelp("Ends after the given number of commits that changed something.", valueName: "commits"))
  var count: Int?

  func validate() throws {
    if let count, count < 0 { throw ValidationError("--count is not negative.") }
  }

  func run() throws {
    let store = try store.open(.reading)
    defer { try? store.close() }
    // A process that alone has a store open is never notified of others.
    try store.manifest.require(.multipleProcesses)
    let query = try options.query(model.name(in: store))
    let lines = ChangeLines(StandardOutput.sink(), isJSON: format == .jsonl)
    let end = WatchEnd(after: count)
    let token = try store.observe(query, onError: { end.end(with: $0) }) { change in
      guard !end.isReached else { return }
      try lines.write(change)
      end.count(change)
    }
    defer { token.cancel() }
    try end.wait()
  }
}

/// Waits until the given number of changes was printed, or an error ends it.
private final class WatchEnd: Sendable {
  private let ended = DispatchSemaphore(value: 0)
  private let state: Mutex<(left: Int?, error: (any Error)?)>

  init(after count: Int?) {
    state = Mutex((count, nil))
  }

  var isReached: Bool { state.withLock { $0.left.map { $0 < 0 } ?? false } }

  /// Counts a change that was printed.
  func count(_ change: QueryChange<Record>) {
    let isReached = state.withLock { state in
      guard let left = state.left else { return false }
      let rest = change.isInitial ? left : left - 1
      // Below 0, so that it is reached once.
      state.left = rest == 0 ? -1 : rest
      return rest == 0
    }
    if isReached { ended.signal() }
  }

  func end(with error: any Error) {
    state.withLock { $0.error = error }
    ended.signal()
  }

  func wait() throws {
    ended.wait()
    if let error = state.withLock({ $0.error }) { throw error }
  }
}

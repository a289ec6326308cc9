import Foundation
import QuarryCore
import Synchronization

/// Writers that wait in a known order behind one that is long, so that they share what they may when it ends.
struct WaitingWriters {
  struct Writer: Sendable {
    var isTask = false
    var isAlone = false
    var timeout: Double?
    let body: @Sendable (WriteTransaction) throws -> Void
  }

  /// How the call of a writer ended; nil while it has not.
  typealias Outcome = Result<Void, any Error>?

  /// The bodies ran in another order than the calls were meant to come in: on a busy machine one call overtook another on
  /// its way to the line, and nothing can be said of what came of it.
  struct OutOfOrder: Error {}

  private final class Outcomes: Sendable {
    let list: Mutex<[Outcome]>
    /// The writers whose bodies have begun, in that order.
    let begun = Mutex<[Int]>([])
    init(_ count: Int) { list = Mutex(Array(repeating: nil, count: count)) }
  }

  private static let threadKey = "quarry.waiting-writer"

  /// The number of the writer whose thread this is; nil for one that is no writer's.
  static var ofThisThread: Int? { Thread.current.threadDictionary[threadKey] as? Int }

  let store: Store
  private let outcomes: Outcomes
  private let holder: ScriptedTransaction

  /// - Parameter pause: Milliseconds between the calls, by which their order is told apart.
  init(_ store: Store, _ writers: [Writer], pause: Int) async throws {
    self.store = store
    holder = try ScriptedTransaction.write(store)
    let outcomes = Outcomes(writers.count)
    self.outcomes = outcomes
    for (number, writer) in writers.enumerated() {
      let body: @Sendable (WriteTransaction) throws -> Void = { tx in
        outcomes.begun.withLock { $0.append(number) }
        try writer.body(tx)
      }
      if writer.isTask {
        _ = Task.ofCase {
          let outcome: Result<Void, any Error>
          do {
            outcome = .success(
              try await store.write(timeout: writer.timeout ?? 60, alone: writer.isAlone) { try body($0) })
          } catch {
            outcome = .failure(error)
          }
          outcomes.list.withLock { $0[number] = outcome }
        }
      } else {
        Thread {
          Thread.current.threadDictionary[Self.threadKey] = number
          let outcome = Result<Void, any Error> {
            try store.write(timeout: writer.timeout ?? 60, alone: writer.isAlone) { try body($0) }
          }
          outcomes.list.withLock { $0[number] = outcome }
        }.start()
      }
      try await Task.sleep(for: .milliseconds(pause))
    }
  }

  /// How the calls have ended that have.
  var ended: [Outcome] { outcomes.list.withLock { $0 } }

  /// Lets them in.
  func begin() throws { try holder.commit() }

  /// Lets them in, and waits until all calls have ended.
  ///
  /// - Throws: ``OutOfOrder``.
  func run() async throws -> [Result<Void, any Error>] {
    try begin()
    return try await all()
  }

  /// Waits until all calls have ended.
  ///
  /// - Throws: ``OutOfOrder``.
  func all() async throws -> [Result<Void, any Error>] {
    let end = ContinuousClock.now + .seconds(50)
    while ended.contains(where: { $0 == nil }) {
      try expect(ContinuousClock.now < end, "the writers \(ended.indices.filter { ended[$0] == nil }) were forgotten")
      try await Task.sleep(for: .milliseconds(2))
    }
    let begun = outcomes.begun.withLock { $0 }
    guard begun == begun.sorted() else { throw OutOfOrder() }
    return ended.compactMap { $0 }
  }
}

import Foundation
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// Writers that wait in a known order behind one that is long, so that they share what they may when it ends.
struct WaitingWriters {
  struct Writer: Sendable {
    var isTask = false
    var isAlone = false
    var timeout: Double?
    var author: String?
    let body: @Sendable (WriteTransaction) throws -> Void
  }

  /// How the call of a writer ended; nil while it has not.
  typealias Outcome = Result<Void, any Error>?

  private final class Outcomes: Sendable {
    let list: Mutex<[Outcome]>
    init(_ count: Int) { list = Mutex(Array(repeating: nil, count: count)) }
  }

  private static let threadKey = "quarry.waiting-writer"

  /// The number of the writer whose thread this is; nil for one that is no writer's.
  static var ofThisThread: Int? { Thread.current.threadDictionary[threadKey] as? Int }

  let store: Store
  private let outcomes: Outcomes
  private let holder: ScriptedTransaction

  /// Begins a transaction, and then the writers, each when the one before it has its place in the queue.
  init(_ store: Store, _ writers: [Writer]) async throws {
    self.store = store
    holder = try ScriptedTransaction.write(store, alone: true)
    let before = store.writesThatWaited
    let outcomes = Outcomes(writers.count)
    self.outcomes = outcomes
    for (number, writer) in writers.enumerated() {
      if writer.isTask {
        _ = Task.ofCase {
          let outcome: Result<Void, any Error>
          do {
            outcome = .success(
              try await store.write(author: writer.author, timeout: writer.timeout ?? 60, alone: writer.isAlone) {
                try writer.body($0)
              })
          } catch {
            outcome = .failure(error)
          }
          outcomes.list.withLock { $0[number] = outcome }
        }
      } else {
        Thread {
          Thread.current.threadDictionary[Self.threadKey] = number
          let outcome = Result<Void, any Error> {
            try store.write(author: writer.author, timeout: writer.timeout ?? 60, alone: writer.isAlone) {
              try writer.body($0)
            }
          }
          outcomes.list.withLock { $0[number] = outcome }
        }.start()
      }
      try await store.untilWaiting(before + number + 1)
    }
  }

  /// How the calls have ended that have.
  var ended: [Outcome] { outcomes.list.withLock { $0 } }

  /// Lets them in.
  func begin() throws { try holder.commit() }

  /// Lets them in, and waits until all calls have ended.
  func run() async throws -> [Result<Void, any Error>] {
    try begin()
    return try await all()
  }

  /// Waits until all calls have ended.
  func all() async throws -> [Result<Void, any Error>] {
    let end = ContinuousClock.now + .seconds(50)
    while ended.contains(where: { $0 == nil }) {
      try expect(ContinuousClock.now < end, "the writers \(ended.indices.filter { ended[$0] == nil }) were forgotten")
      try await Task.sleep(for: .milliseconds(2))
    }
    return ended.compactMap { $0 }
  }
}

extension Store {
  /// Waits until so many writes of the store have come to a place in its queue, from its opening on.
  func untilWaiting(_ count: Int) async throws {
    let end = ContinuousClock.now + .seconds(50)
    while writesThatWaited < count {
      try expect(ContinuousClock.now < end, "a write that has to wait never came to its place")
      try await Task.sleep(for: .milliseconds(1))
    }
  }
}

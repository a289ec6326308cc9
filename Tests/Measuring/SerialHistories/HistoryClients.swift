import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryEngines
import QuarrySeeds
import Synchronization

/// What the clients of one process did in a round, as the process prints it in a line.
struct RoundReport: Codable {
  var transactions: [History.Transaction]
  /// How often bodies ran: more often than there were transactions where some were run again.
  var attempts: Int
}

/// What the processes share.
enum Workload {
  static let keysOfRound = 8
  static let clientsOfProcess = 4

  /// Each round has lists of its own, so that they stay short.
  static func of(_ round: Int) -> HistoryWorkload {
    HistoryWorkload(keys: round * keysOfRound..<(round + 1) * keysOfRound)
  }

  /// The time since the machine was started, which is the same for all processes.
  static func now() -> Int { Int(DispatchTime.now().uptimeNanoseconds) }
}

/// Clients in a process of their own, which run transactions round by round as standard input says.
enum HistoryClients {
  /// - Parameter first: The number of the first client.
  static func run(_ url: String, first: Int) throws {
    let store = try Store(for: Plain.self, in: try StoreURL(parsing: url))
    defer { try? store.close() }
    while let line = readLine() {
      // The round, and the transactions of each client.
      let numbers = line.split(separator: " ").compactMap { Int($0) }
      guard numbers.count == 2 else { throw StorageError(.invalidValue, "no round: \(line)") }
      let report = try round(numbers[0], each: numbers[1], store, first)
      FileHandle.standardOutput.write(try JSONEncoder().encode(report) + Data("\n".utf8))
    }
  }

  private static func round(_ round: Int, each: Int, _ store: Store, _ first: Int) throws -> RoundReport {
    let workload = Workload.of(round)
    let recorder = HistoryRecorder(clock: Workload.now)
    let attempts = Atomic(0)
    try onThreads(Workload.clientsOfProcess) { thread in
      let client = first + thread
      var random = SeededGenerator(seed: UInt64(round * 100 + client))
      var lastValue = client * 1_000_000
      for _ in 0..<each {
        let plan = HistoryWorkload.Plan(workload.keys, &random) {
          lastValue += 1
          return lastValue
        }
        attempts.add(try workload.run(plan, store, client, recorder), ordering: .relaxed)
      }
    }
    return RoundReport(
      transactions: recorder.history.transactions, attempts: attempts.load(ordering: .relaxed))
  }
}

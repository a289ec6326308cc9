import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryEngines

/// Runs transactions of eight clients in two processes on one store, and checks after each round that one order explains all that
/// they have read. Between rounds no transaction is open. A round's history is forgotten once it is checked.
///
/// Ends with 1 where a history shows what serializable transactions never show.
@main struct SerialHistories {
  static func main() {
    do {
      let arguments = CommandLine.arguments
      if arguments.count == 4, arguments[1] == "clients", let first = Int(arguments[3]) {
        return try HistoryClients.run(arguments[2], first: first)
      }
      guard arguments.count == 3, let count = Int(arguments[2]), count > 0 else {
        throw StorageError(.invalidValue, "serial-histories URL TRANSACTIONS")
      }
      exit(try check(arguments[1], count) ? 0 : 1)
    } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      exit(1)
    }
  }

  /// Prints a line at once, also to a file.
  private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  /// The transactions of a round. The checker compares each of them with all others of its round.
  private static let ofRound = 480

  /// - Returns: Whether all histories may have come from serializable transactions.
  private static func check(_ url: String, _ wanted: Int) throws -> Bool {
    let store = try Store(for: Plain.self, in: try StoreURL(parsing: url))
    defer { try? store.close() }
    let processes = try [0, 1].map { try ClientProcess(url, first: $0 * Workload.clientsOfProcess) }
    defer { for process in processes { process.end() } }
    let each = ofRound / (processes.count * Workload.clientsOfProcess)
    var (round, count, committed, attempts) = (0, 0, 0, 0)
    let start = ContinuousClock.now
    var time: Duration { ContinuousClock.now - start }
    while count < wanted {
      let workload = Workload.of(round)
      try store.write { tx in
        _ = try tx.delete(Plain.all)
        try tx.insert(contentsOf: workload.keys.map { Plain($0) })
      }
      for process in processes { try process.begin("\(round) \(each)") }
      let recorder = HistoryRecorder(clock: Workload.now)
      for process in processes {
        let report = try process.report()
        attempts += report.attempts
        for transaction in report.transactions { recorder.add(transaction) }
      }
      try workload.readAll(store, recorder)
      let history = recorder.history
      let anomalies = HistoryChecker.anomalies(history)
      guard anomalies.isEmpty else {
        say("round \(round): \(anomalies.count) anomalies")
        for anomaly in anomalies.prefix(5) { say(anomaly.description) }
        return false
      }
      if round == 0, !isFound(history) {
        say("the checker accepts a history with a read that was changed")
        return false
      }
      round += 1
      count += each * processes.count * Workload.clientsOfProcess
      committed += history.transactions.count { $0.isCommitted } - 1
      if round % 20 == 0 { say("\(count) transactions after \(time.components.seconds) s") }
    }
    say(
      "\(count) transactions of 8 clients in 2 processes, \(committed) committed, in \(round) rounds; bodies ran \(attempts) times; "
        + "\(time.components.seconds) s; every history is serializable")
    return true
  }

  /// Whether the checker rejects a history in which the last read lacks a value.
  private static func isFound(_ history: History) -> Bool {
    var changed = history
    guard let last = changed.transactions.indices.last else { return false }
    changed.transactions[last].operations = changed.transactions[last].operations.map { operation in
      guard case .read(let key, let list) = operation else { return operation }
      return .read(key: key, list: list.dropLast())
    }
    return !HistoryChecker.anomalies(changed).isEmpty
  }
}

/// A process with clients, which this program starts from its own file.
private final class ClientProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var rest = Data()

  init(_ url: String, first: Int) throws {
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["clients", url, String(first)]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  func begin(_ round: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((round + "\n").utf8)) }

  /// Waits for the end of the round.
  func report() throws -> RoundReport {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest = Data(rest[(end + 1)...]) }
        return try JSONDecoder().decode(RoundReport.self, from: rest[..<end])
      }
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw StorageError(.io, "a process with clients has ended") }
      rest += more
    }
  }

  func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}

import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends transfers to one or more services on this machine from several clients, and then compares what is stored with what was
/// answered: `service-load SECONDS CLIENTS URL…`. Requests that fail are sent again with the same key, also while a server starts again.
@main
struct ServiceLoad {
  static let accounts = 20
  static let balance = 1_000

  static func main() async throws {
    var arguments = CommandLine.arguments.dropFirst()
    guard let seconds = arguments.popFirst().flatMap(Double.init), (1...600).contains(seconds),
      let clients = arguments.popFirst().flatMap({ Int($0) }), (1...64).contains(clients), !arguments.isEmpty
    else {
      FileHandle.standardError.write(Data("usage: service-load SECONDS CLIENTS URL…\n".utf8))
      exit(64)
    }
    let urls = try arguments.map { text in
      // Only this machine is ever loaded.
      guard let url = URL(string: text), url.host() == "127.0.0.1" else { throw Wrong("\(text) is not on 127.0.0.1") }
      return url
    }
    let service = ServiceClient(base: urls[0])
    for id in 1...accounts {
      let account = AccountBody(id: id, owner: "owner \(id)", balance: balance)
      // 409: it was opened by a request whose answer was lost.
      _ = try await service.send("POST", "accounts", account, accepting: [201, 409])
    }
    let end = Date(timeIntervalSinceNow: seconds)
    let runs = try await withThrowingTaskGroup(of: ClientRun.self) { group in
      for number in 0..<clients {
        // Each client begins with another service, and goes on to the next one when it fails.
        group.addTask { try await ClientRun.run(until: end, urls: urls, first: number) }
      }
      var runs: [ClientRun] = []
      for try await run in group { runs.append(run) }
      return runs
    }
    try await compare(runs, urls)
  }

  /// Throws `Wrong` unless each acknowledged transfer is stored once, no other is, and all balances follow from them.
  static func compare(_ runs: [ClientRun], _ urls: [URL]) async throws {
    let made = runs.flatMap(\.made)
    let expected = Dictionary(uniqueKeysWithValues: made.map { ($0.id, $0) })
    for url in urls {
      let service = ServiceClient(base: url)
      let stored = try await service.get("transfers", as: [TransferBody].self)
      guard Set(stored) == Set(made), stored.count == made.count else {
        let lost = made.filter { !stored.contains($0) }
        throw Wrong("\(stored.count) transfers are stored, \(made.count) were acknowledged, \(lost.count) are lost")
      }
      var balances = Dictionary(uniqueKeysWithValues: (1...accounts).map { ($0, balance) })
      for transfer in expected.values {
        balances[transfer.from, default: 0] -= transfer.amount
        balances[transfer.to, default: 0] += transfer.amount
      }
      let found = try await service.get("accounts", as: [AccountBody].self)
      guard Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0.balance) }) == balances else {
        throw Wrong("the balances are not those of the acknowledged transfers")
      }
      guard found.reduce(0, { $0 + $1.balance }) == accounts * balance else { throw Wrong("the sum has changed") }
    }
    let repeated = runs.reduce(0) { $0 + $1.repeated }
    let refused = runs.reduce(0) { $0 + $1.refused }
    let longest = runs.map(\.longest).max() ?? 0
    print(
      "\(made.count) transfers acknowledged and stored once, \(refused) refused for lack of funds, \(repeated) requests sent again;",
      "the sum is \(accounts * balance), as it was; the longest request took \(String(format: "%.1f", longest)) s")
  }
}

/// What a client has done.
struct ClientRun: Sendable {
  var made: [TransferBody] = []
  var refused = 0
  var repeated = 0
  var longest = 0.0

  static func run(until end: Date, urls: [URL], first: Int) async throws -> ClientRun {
    var run = ClientRun()
    var place = first
    while Date() < end {
      let from = Int.random(in: 1...ServiceLoad.accounts)
      let to = (from + Int.random(in: 1..<ServiceLoad.accounts) - 1) % ServiceLoad.accounts + 1
      let transfer = TransferBody(id: UUID(), from: from, to: to, amount: .random(in: 1...50))
      let start = Date()
      // A request is repeated until it has an answer: only so does the client know what is stored.
      for attempt in 0... {
        guard attempt < 600 else { throw Wrong("a transfer was refused 600 times") }
        let service = ServiceClient(base: urls[place % urls.count])
        let path = "transfers/\(transfer.id)"
        if let status = try? await service.send("PUT", path, transfer, accepting: [201, 200, 409]) {
          if status == 409 { run.refused += 1 } else { run.made.append(transfer) }
          break
        }
        run.repeated += 1
        place += 1
        try await Task.sleep(for: .milliseconds(100))
      }
      run.longest = max(run.longest, Date().timeIntervalSince(start))
      // Some requests are sent twice although they were answered: the second has no effect.
      if run.made.count % 50 == 1, let last = run.made.last, last == transfer {
        _ = try? await ServiceClient(base: urls[place % urls.count])
          .send("PUT", "transfers/\(last.id)", last, accepting: [200])
      }
    }
    return run
  }
}

struct Wrong: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }
}

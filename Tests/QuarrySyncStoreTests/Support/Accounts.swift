import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Synchronization

@testable import QuarrySync

/// Accounts of banks, whose balances a hub resolves.
enum Accounts {
  static let all = [bank, account]
  static let declarations = [
    SyncDeclaration(
      model: "Account", isSynced: true, merges: ["visits": .counter, "low": .row("range"), "high": .row("range")]),
    SyncDeclaration(model: "Bank", isSynced: true),
  ]

  static let bank = ModelSchema(
    name: "Bank", properties: [PropertySchema(name: "id", type: .uuid), PropertySchema(name: "name", type: .string)],
    primaryKey: 0)

  static let account = ModelSchema(
    name: "Account",
    properties: [
      PropertySchema(name: "id", type: .uuid), PropertySchema(name: "owner", type: .string),
      PropertySchema(name: "balance", type: .int64), PropertySchema(name: "note", type: .string, isOptional: true),
      PropertySchema(name: "visits", type: .int64, defaultValue: .int(0)),
      PropertySchema(name: "low", type: .int64, defaultValue: .int(0)),
      PropertySchema(name: "high", type: .int64, defaultValue: .int(0)),
      PropertySchema(
        name: "bank", type: .uuid, isOptional: true, reference: .init(to: "Bank", deleteRule: .nullify)),
    ], primaryKey: 0, indexes: [IndexSchema(name: "Account_owner", columns: [.init(slot: 1)], isUnique: true)])

  static func place(_ scheme: String) throws -> SyncedPlace {
    try SyncedPlace(scheme, models: all, declarations: declarations)
  }

  static func record(_ key: Value, _ owner: Value, _ balance: Int64) -> Record {
    Record(["id": key, "owner": owner, "balance": .int(balance)])
  }
}

/// A hub's program that adds up what both sides have added, and notes what it was asked.
final class Teller: Sendable {
  private let conflicts = Mutex<[SyncConflict]>([])

  var asked: [SyncConflict] { conflicts.withLock { $0 } }

  static func sum(_ conflict: SyncConflict) -> SyncRow {
    func balance(_ row: SyncRow) -> Int64 { Int64(row["balance"]?.intValue ?? 0) }
    var result = conflict.mine
    result["balance"] = .int(balance(conflict.theirs) + balance(conflict.mine) - balance(conflict.base))
    return result
  }

  func serve(_ hub: SyncedPlace, _ result: @escaping @Sendable (SyncConflict) throws -> SyncRow = sum) throws {
    try hub.sync.setResolver(of: "Account") { [self] _, conflict, _ in
      conflicts.withLock { $0.append(conflict) }
      return try result(conflict)
    }
  }
}

extension SyncedPlace {
  /// Adds to the balance of an account, as a program does that reads it first.
  func add(_ key: Value, _ amount: Int64) throws {
    try store.write { tx in
      guard let account = try tx.records.fetch(in: "Account").first(where: { $0["id"] == key }),
        let balance = account["balance"]?.intValue
      else { return }
      try tx.records.upsert(
        into: "Account", [Record(["id": key, "balance": .int(Int64(balance) + amount)])], updating: ["balance"])
    }
  }

  func balance(_ key: Value) throws -> Int? { try value("Account", key, "balance")?.intValue }
}

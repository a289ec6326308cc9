import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarrySync
import Synchronization

/// An account whose balance a hub adds up.
struct SyncAccount: Model, Equatable {
  var id: String
  var owner: String
  var balance: Int
  var note: String?
  var bank: Ref<SyncBank>?

  static let modelDefinition = ModelDefinition<SyncAccount>(
    name: "Account",
    properties: [
      PropertyDefinition("id", \SyncAccount.id, String.self),
      PropertyDefinition("owner", \SyncAccount.owner, String.self),
      PropertyDefinition("balance", \SyncAccount.balance, Int.self),
      PropertyDefinition("note", \SyncAccount.note, String?.self),
      PropertyDefinition("bank", \SyncAccount.bank, Ref<SyncBank>?.self),
    ], primaryKey: "id", indexes: [IndexDefinition(["owner"], isUnique: true)])

  struct Columns: ModelColumns {
    let id = Column<String>("id", 0)
    let owner = Column<String>("owner", 1)
    let balance = Column<Int>("balance", 2)
    let note = Column<String?>("note", 3)
    let bank = Column<Ref<SyncBank>?>("bank", 4)
  }

  var primaryKeyValue: String { id }

  init(_ id: String, _ owner: String, _ balance: Int) { (self.id, self.owner, self.balance) = (id, owner, balance) }

  init(reading row: ModelReader) throws(StorageError) {
    (id, owner, balance) = (try row.get(0), try row.get(1), try row.get(2))
    (note, bank) = (try row.get(3), try row.get(4))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, owner)
    try row.set(2, balance)
    try row.set(3, note)
    try row.set(4, bank)
  }
}

/// What an account refers to.
struct SyncBank: Model, Equatable {
  var id: String

  static let modelDefinition = ModelDefinition<SyncBank>(
    name: "Bank", properties: [PropertyDefinition("id", \SyncBank.id, String.self)], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<String>("id", 0)
  }

  var primaryKeyValue: String { id }

  init(_ id: String) { self.id = id }

  init(reading row: ModelReader) throws(StorageError) { id = try row.get(0) }

  func write(to row: ModelWriter) throws(StorageError) { try row.set(0, id) }
}

/// A program that adds up what both sides have added to a balance, and notes what it was asked.
final class SyncTeller: Sendable {
  /// What was asked, as balances of the base, of the hub and of the client.
  private let noted = Mutex<[[Int]]>([])

  var asked: [[Int]] { noted.withLock { $0 } }

  func resolve(
    _ hub: SyncPeer, _ change: @escaping @Sendable (SyncAccount, inout SyncAccount) throws -> Void = { _, _ in }
  ) throws {
    try hub.sync.resolve(SyncAccount.self) { base, theirs, mine in
      self.noted.withLock { $0.append([base.balance, theirs.balance, mine.balance]) }
      var result = mine
      result.balance = theirs.balance + mine.balance - base.balance
      try change(mine, &result)
      return result
    }
  }
}

import Foundation
import Quarry

/// What the service does, without HTTP: each method is one transaction.
struct Bank: Sendable {
  let store: Store

  /// Why a transfer is refused. Nothing is stored then.
  enum Refusal: Error, Equatable {
    case noAccount(Int)
    case insufficientFunds
    case otherTransfer
    case invalidAmount
  }

  /// An account, its latest transfers, and how many there are.
  struct Statement: Sendable {
    var account: Account
    var latest: [Transfer]
    var sent: Int
    var received: Int
  }

  /// The whole, from one state of the store.
  struct Totals: Sendable {
    var accounts: Int
    var balance: Int
    var transfers: Int
    var version: String
  }

  func open(_ account: Account) async throws {
    try await store.insert(account)
  }

  func accounts(limit: Int) async throws -> [Account] {
    try await store.fetch(Account.all.sorted(by: \.id).limit(limit))
  }

  func transfers() async throws -> [Transfer] {
    try await store.fetch(Transfer.all)
  }

  func statement(_ id: Int) async throws -> Statement? {
    try await store.read { tx in
      guard let account = try tx.get(Account.self, id) else { return nil }
      return Statement(
        account: account,
        latest: try tx.fetch(account.outgoing.sorted(by: \.made, order: .reverse).limit(10)),
        sent: try tx.count(account.outgoing),
        received: try tx.count(account.incoming))
    }
  }

  /// Makes a transfer, or finds that it was made: a client may send one as often as it likes.
  ///
  /// With many writers the body runs again after a conflict, so it has no effect outside of the store.
  ///
  /// - Returns: Whether it was made now.
  /// - Throws: `Refusal`.
  func transfer(_ transfer: Transfer) async throws -> Bool {
    guard transfer.amount > 0, transfer.source != transfer.target else { throw Refusal.invalidAmount }
    return try await store.write { tx in
      if let made = try tx.get(Transfer.self, transfer.id) {
        guard made.source == transfer.source, made.target == transfer.target, made.amount == transfer.amount else {
          throw Refusal.otherTransfer
        }
        return false
      }
      guard var source = try tx.get(transfer.source) else { throw Refusal.noAccount(transfer.source.key) }
      guard var target = try tx.get(transfer.target) else { throw Refusal.noAccount(transfer.target.key) }
      guard source.balance >= transfer.amount else { throw Refusal.insufficientFunds }
      source.balance -= transfer.amount
      target.balance += transfer.amount
      try tx.update(source)
      try tx.update(target)
      try tx.insert(transfer)
      return true
    }
  }

  func totals() async throws -> Totals {
    try await store.read { tx in
      Totals(
        accounts: try tx.count(Account.all), balance: try tx.sum(Account.all, of: \.balance) ?? 0,
        transfers: try tx.count(Transfer.all), version: "\(try tx.version)")
    }
  }
}

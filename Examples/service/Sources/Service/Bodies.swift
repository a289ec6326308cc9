import Foundation
import Hummingbird
import Quarry

/// The JSON of requests and answers. Models are not encoded themselves: what clients see may stay when they change.
struct AccountBody: ResponseCodable, Sendable {
  var id: Int
  var owner: String
  var balance: Int

  init(_ account: Account) {
    id = account.id
    owner = account.owner
    balance = account.balance
  }

  var account: Account { Account(id: id, owner: owner, balance: balance) }
}

struct TransferBody: ResponseCodable, Sendable {
  var id: UUID?
  var from: Int
  var to: Int
  var amount: Int

  init(_ transfer: Transfer) {
    id = transfer.id
    from = transfer.source.key
    to = transfer.target.key
    amount = transfer.amount
  }

  func transfer(_ id: UUID) -> Transfer {
    Transfer(id: id, source: Ref(from), target: Ref(to), amount: amount, made: Date())
  }
}

struct StatementBody: ResponseCodable, Sendable {
  var account: AccountBody
  var latest: [TransferBody]
  var sent: Int
  var received: Int

  init(_ statement: Bank.Statement) {
    account = AccountBody(statement.account)
    latest = statement.latest.map(TransferBody.init)
    sent = statement.sent
    received = statement.received
  }
}

struct HealthBody: ResponseCodable, Sendable {
  var engine: String
  var version: String
}

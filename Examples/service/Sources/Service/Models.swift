import Foundation
import Quarry

/// An account. The sum of all balances changes only when an account is opened.
@Model
struct Account: Identifiable, Equatable {
  let id: Int
  var owner: String
  var balance: Int

  @Relationship(deleteRule: .deny, inverse: \Transfer.source) var outgoing: Many<Transfer>
  @Relationship(deleteRule: .deny, inverse: \Transfer.target) var incoming: Many<Transfer>
}

/// A transfer between two accounts. The client chooses its key, so that it may send a transfer again.
@Model
struct Transfer: Identifiable, Equatable {
  let id: UUID
  var source: Ref<Account>
  var target: Ref<Account>
  var amount: Int
  var made: Date

  #Index<Transfer>([\.source, \.made])
}

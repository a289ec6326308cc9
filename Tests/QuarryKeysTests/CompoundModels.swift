import Foundation
import Quarry

@Model
struct Reader: Equatable {
  let id: Int
  var name: String
  @Relationship(inverse: \Loan.reader) var loans: Many<Loan>
}

@Model
struct Loan: Equatable, Identifiable {
  @Relationship(deleteRule: .cascade) let reader: Ref<Reader>
  let book: Int
  var due: Int
  @Relationship(inverse: \Fine.loan) var fines: Many<Fine>
  var labels: Links<Label>
  var id: Key { primaryKeyValue }

  init(_ reader: Int, _ book: Int, due: Int = 0) {
    self.reader = Ref(reader)
    self.book = book
    self.due = due
  }

  #PrimaryKey<Loan>([\.reader, \.book])
}

@Model
struct Fine: Equatable {
  let id: Int
  var cents: Int
  @Relationship(deleteRule: .cascade) var loan: Ref<Loan>
  var other: Ref<Loan>?
}

@Model
struct Label: Equatable {
  @Attribute(.primaryKey) let name: String
  @Relationship(inverse: \Loan.labels) var loans: Many<Loan>
}

/// A key with a member of each type that a key can have.
@Model
struct Mixed: Equatable {
  let text: String
  let flag: Bool
  let small: Int8
  let large: UInt64
  let number: Double
  let single: Float
  let day: Date
  let data: Data
  let uuid: UUID
  let money: Decimal
  let url: URL
  let kind: Kind
  let loan: Ref<Loan>?
  var note: String

  enum Kind: Int16, Storable { case a = -1, b = 2 }

  #PrimaryKey<Mixed>([
    \.text, \.flag, \.small, \.large, \.number, \.single, \.day, \.data, \.uuid, \.money, \.url, \.kind,
  ])
}

/// A key with a member that refers to an object with a compound key.
@Model
struct Renewal: Equatable {
  let loan: Ref<Loan>
  let number: Int
  var day: Int

  #PrimaryKey<Renewal>([\.loan, \.number])
}

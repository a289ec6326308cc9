import Foundation
package import QuarryBackend
package import QuarryCore

/// A model that is searched in a language, and in none: what the stores of version 0.8 in `Tests/Golden` hold.
package enum LanguageType {
  package static let model = ModelSchema(
    name: "Essay",
    properties: [
      PropertySchema(name: "id", type: .int64),
      PropertySchema(name: "title", type: .string, search: .init(weight: 3, language: .english)),
      PropertySchema(name: "author", type: .string, search: .init()),
    ], primaryKey: 0)

  private static let rows: [(title: String, author: String)] = [
    ("Running in the rain", "Anna Runs"), ("The connected cats", "Flies"), ("She runs and connects", ""),
  ]

  /// The row of an object, from 1 on.
  package static func row(_ number: Int) -> Record {
    let (title, author) = rows[(number - 1) % rows.count]
    return Record([("id", .int(Int64(number))), ("title", .string(title)), ("author", .string(author))])
  }

  /// Makes the model, and puts three objects into a store.
  package static func fill(_ store: Store) throws {
    try store.write { tx in try tx.apply(.createModel(model)) }
    try store.records.insert(into: model.name, (1...3).map(row))
  }
}

import Foundation
import QuarryBackend
import QuarryCore

/// Which indexes and which primary key the objects of a random run have.
protocol SubjectShape: Sendable {
  associatedtype Key: Storable & Hashable

  static var name: String { get }
  static var keyName: String { get }
  static var indexes: [IndexDefinition] { get }
  /// Kept by each shape, because a generic type cannot keep it.
  static var definition: ModelDefinition<Subject<Self>> { get }
  static func key(_ subject: Subject<Self>) -> Key
}

extension SubjectShape {
  static func makeDefinition() -> ModelDefinition<Subject<Self>> {
    ModelDefinition(name: name, properties: Subject<Self>.properties, primaryKey: keyName, indexes: indexes)
  }
}

/// No index at all.
enum BareShape: SubjectShape {
  static let name = "Bare"
  static let keyName = "id"
  static let indexes: [IndexDefinition] = []
  static let definition = makeDefinition()
  static func key(_ subject: Subject<BareShape>) -> Int64 { subject.id }
}

/// An index on each property that has an order, one of them unique.
enum SingleShape: SubjectShape {
  static let name = "Single"
  static let keyName = "id"
  static let indexes = QueryGenerator.properties.indices.dropFirst().dropLast().map { place in
    let name = QueryGenerator.properties[place].name
    return IndexDefinition([.init(name, order: place % 3 == 0 ? .reverse : .forward)], isUnique: name == "note")
  }
  static let definition = makeDefinition()
  static func key(_ subject: Subject<SingleShape>) -> Int64 { subject.id }
}

/// Indexes on several properties in both directions, some of them unique.
enum CompoundShape: SubjectShape {
  static let name = "Compound"
  static let keyName = "id"
  static let indexes = [
    IndexDefinition(["flag", .init("small", order: .reverse)]),
    IndexDefinition(["small", "score", "name"]),
    IndexDefinition([.init("note", order: .reverse), "ratio"]),
    IndexDefinition(["price", .init("date", order: .reverse)], isUnique: true),
    IndexDefinition([.init("name", order: .reverse), "count"], isUnique: true),
  ]
  static let definition = makeDefinition()
  static func key(_ subject: Subject<CompoundShape>) -> Int64 { subject.id }
}

/// A string is the primary key.
enum NamedShape: SubjectShape {
  static let name = "Named"
  static let keyName = "name"
  static let indexes = [IndexDefinition([.init("count", order: .reverse)]), IndexDefinition(["note", "flag"])]
  static let definition = makeDefinition()
  static func key(_ subject: Subject<NamedShape>) -> String { subject.name }
}

import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Members of nested values whose type is stored as a number by itself and coded as a value with parts inside another.
enum ForeignMemberCases {
  static let all: [ConformanceCase] = [
    ConformanceCase(
      "NEST.member-foreign", ["NEST-9"], "A member that is coded otherwise than its type is stored is not compared."
    ) { kit in
      let store = try kit.store(Priced.self)
      let priced = [Priced(id: 1, tag: Tag(own: Amount(cents: 5), other: nil))]
      try store.insert(contentsOf: priced + [Priced(id: 2, tag: Tag(own: Amount(cents: 6), other: Amount(cents: 7)))])
      try expectEqual(try store.get(Priced.self, 1), priced[0])
      for text in ["tag.own == 5", "tag.own != 5", "tag.own > 5", "tag.own IN {5, 6}", "tag.other == 7"] {
        try expectError(.unsupported, text) { try store.count(Priced.where(text)) }
      }
      // What is stored can be looked for by its parts, and whether it is there at all.
      try expectEqual(try store.keys(Priced.where("tag.own.cents == 6")), [2])
      try expectEqual(try store.keys(Priced.where("tag.other == nil")), [1])
      try expectEqual(try store.keys(Priced.where("tag.other != nil")), [2])
    }
  ]
}

private struct Amount: Storable, Codable, Hashable {
  var cents: Int

  static var storedType: StoredType { Int.storedType }

  init(cents: Int) {
    self.cents = cents
  }

  init(storedValue: Value) throws(StorageError) {
    cents = try Int(storedValue: storedValue)
  }

  func storedValue() throws(StorageError) -> Value { .int(Int64(cents)) }
}

private struct Tag: NestedModel, Hashable {
  var own: Amount
  var other: Amount?

  static let nestedDefinition = NestedDefinition<Tag>(members: [
    MemberDefinition("own", \.own, Amount.self), MemberDefinition("other", \.other, Amount?.self),
  ])

  struct Columns: NestedColumns {
    var own: MemberColumn<Amount> { MemberColumn("own") }
    var other: MemberColumn<Amount?> { MemberColumn("other") }
  }
}

private struct Priced: Model, Equatable {
  var id: Int
  var tag: Tag

  static let modelDefinition = ModelDefinition<Priced>(
    name: "Priced",
    properties: [PropertyDefinition("id", \Priced.id, Int.self), PropertyDefinition("tag", \Priced.tag, Tag.self)],
    primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var tag = Column<Tag>("tag", 1)
  }

  var primaryKeyValue: Int { id }

  init(id: Int, tag: Tag) {
    self.id = id
    self.tag = tag
  }

  init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    tag = try row.get(1)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, tag)
  }
}

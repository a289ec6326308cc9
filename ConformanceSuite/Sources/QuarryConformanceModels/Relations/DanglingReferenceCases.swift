import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// References that lead to nothing, when a property becomes one or models contradict each other.
enum DanglingReferenceCases {
  static let all: [ConformanceCase] = [several, amongMany, widened, otherModel, requiredByOtherSide]

  private static let needs: Set<Capability> = [.savepoints, .schemaCreateIndex]

  private static func plain(_ type: PropertyType = .int64) -> [ModelSchema] {
    [.linked("A"), .migrating("B", PropertySchema(name: "link", type: type, isOptional: true))]
  }

  private static let referring: [ModelSchema] = [
    .linked("A"),
    .migrating(
      "B", .reference("link", to: "A", .deny), indexes: [IndexSchema(name: "link", columns: [.init(slot: 1)])]),
  ]

  private static func rows(_ targets: Int, _ links: [Int?]) -> [String: [Record]] {
    [
      "A": (0..<targets).map { Record(["id": .int(Int64($0)), "note": .null]) },
      "B": links.enumerated().map { .linked($0.offset, ["link": $0.element]) },
    ]
  }

  private static let several = ConformanceCase(
    "REL.dangling-several", ["REL-9"], "Of two to ten values that lead to nothing the error names each.",
    needs: needs, requiresPersistence: true, without: ConformanceVariant.ofReads
  ) { kit in
    for count in [2, 9, 10] {
      let stage = try MigratingStore(kit, plain(), rows(3, [1, nil] + (0..<count).map { 900 - $0 }))
      let error = try stage.expectRefusal(.missingReference, referring)
      try error.expect(model: "B", property: "link", key: "\(count + 1)", says: "primary key \(901 - count)")
      for value in (901 - count)...900 {
        try expect(error.message.contains("\(value)"), "\(error.message) does not name \(value)")
      }
    }
  }

  private static let amongMany = ConformanceCase(
    "REL.dangling-among-many", ["REL-9"],
    "Of more than a thousand values each is looked at, and those that lead to nothing are counted together.",
    needs: needs, requiresPersistence: true, without: ConformanceVariant.ofReads
  ) { kit in
    let links: [Int?] = [-1] + (1..<1_100).map { $0 }
    let stage = try MigratingStore(kit, plain(), rows(1_098, links))
    let error = try stage.expectRefusal(.missingReference, referring)
    try error.expect(model: "B", property: "link", key: "0", says: "no A with the primary key -1")
    for word in ["3 keys", "-1, 1098, 1099"] { try expect(error.message.contains(word), error.message) }
  }

  private static let widened = ConformanceCase(
    "REL.dangling-widened", ["REL-9", "MIG-2"],
    "A narrower property that becomes a reference is looked at, though its model is made again without a word.",
    needs: needs, requiresPersistence: true, without: ConformanceVariant.ofReads
  ) { kit in
    let bad = try MigratingStore(kit, plain(.int32), rows(4, [3, nil, 40]))
    try bad.expectRefusal(.missingReference, referring)
      .expect(model: "B", property: "link", key: "2", says: "no A with the primary key 40")
    let good = try MigratingStore(kit, plain(.int32), rows(4, [3, nil, 0]))
    try good.expectRows(referring, rows(4, [3, nil, 0]))
    let store = try kit.open([], at: good.place)
    try expectError(.referenced) { try store.write { try $0.delete("A", 3) } }
  }

  // MARK: Sides that contradict each other

  private static let otherModel = ConformanceCase(
    "REL.inverse-of-namesake", ["REL-6", "REL-7"],
    "The other side of a reference is schemaMismatch where the program's model of that name refers to another model.",
    without: ConformanceVariant.ofReads
  ) { kit in
    let place = try kit.makePlace()
    try Ruled.$definition.withValue(Ruled.make(nil, isOptional: true)) {
      try Ruler.$definition.withValue(Ruler.make([RelationDefinition("links", inverse: \Ruled.maybe)])) {
        for models in [[Namesake.self, Ruler.self], [Ruler.self, Namesake.self]] as [[any Model.Type]] {
          try expectError(.schemaMismatch) { try kit.open(models, at: place) }
            .expect(model: "Ruler", property: "links", key: nil, says: "Ruled.link")
        }
      }
    }
    try expectEqual(try kit.open([], at: place).models().map(\.name), [])
  }

  private static let requiredByOtherSide = ConformanceCase(
    "REL.sides-of-required", ["REL-6"],
    "The other side that would make a required reference nil is schemaMismatch and named, before the store is made.",
    without: ConformanceVariant.ofReads
  ) { kit in
    let place = try kit.makePlace()
    let relation = RelationDefinition<Ruler>("links", inverse: \Ruled.sure, deleteRule: .nullify)
    try Ruled.$definition.withValue(Ruled.make(nil, isOptional: false)) {
      try Ruler.$definition.withValue(Ruler.make([relation])) {
        for models in [[Ruled.self, Ruler.self], [Ruler.self]] as [[any Model.Type]] {
          try expectError(.schemaMismatch) { try kit.open(models, at: place) }
            .expect(model: "Ruler", property: "links", key: nil, says: "Ruled.link")
        }
      }
    }
    try expectEqual(kit.files(at: place), [])
  }
}

/// A model of the name of ``Ruled`` that refers to another model.
private struct Namesake: Model {
  var id: Int
  var link: Ref<Poet>?

  static let modelDefinition = ModelDefinition<Namesake>(
    name: "Ruled",
    properties: [
      PropertyDefinition("id", \Namesake.id, Int.self), PropertyDefinition("link", \Namesake.link, Ref<Poet>?.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var link = Column<Ref<Poet>?>("link", 1)
  }

  var primaryKeyValue: Int { id }

  init(reading row: ModelReader) throws(StorageError) { (id, link) = (try row.get(0), try row.get(1)) }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, link)
  }
}

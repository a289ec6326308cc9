import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDump
import QuarryQuery

/// References in copies and dumps, and references that another program has broken.
enum RelatedMovingCases {
  static let all: [ConformanceCase] = [copied, dumped, backedUp, typed] + damage.map(checked)

  /// References of each kind: to text, to themselves, by a key, with each rule.
  private static let models: [ModelSchema] = {
    var part = ModelSchema.linked("Part")
    part.properties[0].reference = .init(to: "B", deleteRule: .cascade)
    return [
      .linked("A", key: .string),
      .linked(
        "B", .reference("a", to: "A", .nullify, type: .string), .reference("held", to: "A", .deny, type: .string),
        .reference("b", to: "B", .cascade)), part,
    ]
  }()

  private static func fill(_ store: Store) throws {
    let texts = ["", "\0", "e\u{301}", "\u{E9}", "z"]
    try store.write { tx in
      try tx.records.insert(into: "A", texts.map { Record([("id", .string($0))]) })
      try tx.records.insert(
        into: "B",
        (0..<50).map { (id: Int64) -> Record in
          let a: Value = id % 6 == 5 ? .null : .string(texts[Int(id % 6)])
          let held: Value = id == 7 ? .string("z") : .null
          var b = Value.null
          if id < 10 { b = .int(49 - id) } else if id % 3 == 0 { b = .int(id) }
          return Record(["id": .int(id), "a": a, "held": held, "b": b])
        })
      try tx.records.insert(into: "Part", [.linked(3), .linked(44)])
    }
  }

  /// Throws unless the store keeps the references and rules of ``models``.
  private static func expectRules(_ store: Store, file: String = #fileID, line: Int = #line) throws {
    let due = models.map { model in model.properties.map(\.reference) }
    try expectEqual(
      try models.map { model in try unwrap(store.models().first { $0.name == model.name }).properties.map(\.reference)
      },
      due, "the references", file: file, line: line)
    try expectEqual(try store.check(), [], "the check", file: file, line: line)
    try expectError(.missingReference, file: file, line: line) {
      try store.records.insert(into: "B", [Record(["id": .int(90), "a": .string("e")])])
    }
    try expectError(.referenced, file: file, line: line) { try store.records.delete(in: "A", keys: [.string("z")]) }
    try expectEqual(try store.records.delete(in: "A", keys: [.string("\u{E9}")]), 1, file: file, line: line)
    try expectEqual(try store.links("B", "b").count, 50, file: file, line: line)
    try expectEqual(
      try store.records.fetch(QueryTree(model: "B")).filter { $0["a"]?.isNull == true }.count, 16, "nils", file: file,
      line: line)
    // 45 is referred to by 4; the part of 44 goes with it.
    try expectEqual(try store.write { try $0.delete("B", 44, 45) }, 2, file: file, line: line)
    try expectEqual(try store.records.count(QueryTree(model: "B")), 46, file: file, line: line)
    try expectEqual(try store.ids("Part"), [3], file: file, line: line)
    try store.expectWhole("moved", file: file, line: line)
  }

  private static func moving(
    _ name: String, _ summary: String, needs: Set<Capability> = [],
    _ body: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "REL.\(name)", ["REL-6", "REL-9", "MOVE-1"], summary,
      needs: ConformanceArea.moving.needs.union(needs).union([.check]),
      requiresPersistence: true, without: ConformanceVariant.ofReads, body)
  }

  private static let copied = moving("copied", "A copy has the references and rules of the store, and keeps them.") {
    kit in
    let store = try kit.store(making: models)
    try fill(store)
    let place = try kit.makePlace()
    try store.copy(to: place)
    let made = try kit.open([], at: place)
    try expectSame(store, made)
    try expectRules(made)
    try expectEqual(try store.records.count(QueryTree(model: "A")), 5)
    try expectRules(store)
  }

  private static let dumped = moving("dumped", "A store that is made of a dump has the references and rules.") { kit in
    let store = try kit.store(making: models)
    try fill(store)
    var bytes: [UInt8] = []
    _ = try store.dump { bytes += $0 }
    let place = try kit.makePlace()
    try CopyScene.inFolder { path in
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      _ = try Store.restore(path, to: place)
    }
    let made = try kit.open([], at: place)
    try expectSame(store, made)
    try expectRules(made)
  }

  private static let backedUp = moving(
    "backed-up", "A backup has the references and rules of the store.", needs: [.backup]
  ) {
    kit in
    let place = try kit.makePlace()
    guard let path = kit.harness.secondProcess?.address(kit.undecorated(place)) else { return }
    let store = try kit.store(making: models)
    try fill(store)
    try store.backup(to: path)
    try expectRules(try kit.open([], at: place))
  }

  private static let typed = moving("copied-typed", "A typed program opens a copy with nothing to do.") { kit in
    let store = try kit.store(Poem.self)
    try store.insert(contentsOf: [Poet(1, teacher: 2), Poet(2)])
    try store.insert(contentsOf: [Poem(1, poet: 1, editor: 2, answers: 1)])
    let place = try kit.makePlace()
    try store.copy(to: place)
    let made = try kit.open([Poem.self], at: place)
    try expectEqual(made.openingReport.schemaChanges, [])
    try expectError(.referenced) { try made.delete(Poet.self, 2) }
    try expect(try made.delete(Poet.self, 1))
    try expectEqual(try made.count(Poem.all), 0)
  }

  // MARK: Damage

  /// What another program may do, and the sentences that check has for it.
  private static let damage:
    [(name: String, write: @Sendable (any BackendWriteTransaction, ModelID, ModelID) throws -> Void, lines: [String])] =
      [
        (
          "target-removed",
          { tx, poet, _ in _ = try tx.delete(poet, [Key.primary(.int(1), unwrap(tx.schema.model(id: poet)))]) },
          ["Poem 1: poet refers to Poet 1, which is not there", "Poem 4: poet refers to Poet 1, which is not there"]
        ),
        (
          "reference-written",
          { tx, _, poem in
            let all = BoundQuery(
              model: poem, predicate: .compare(slot: 0, .equal, .int(2)), order: [BoundSortKey(slot: 0)])
            _ = try tx.update(all, [BoundAssignment(slot: 3, operation: .set, value: .int(66))])
          }, ["Poem 2: editor refers to Poet 66, which is not there"]
        ),
        (
          "reference-to-itself",
          { tx, _, poem in
            let all = BoundQuery(
              model: poem, predicate: .compare(slot: 0, .equal, .int(3)), order: [BoundSortKey(slot: 0)])
            _ = try tx.update(all, [BoundAssignment(slot: 4, operation: .set, value: .int(-9))])
          }, ["Poem 3: answers refers to Poem -9, which is not there"]
        ),
      ]

  private static func checked(
    _ name: String, _ write: @escaping @Sendable (any BackendWriteTransaction, ModelID, ModelID) throws -> Void,
    _ lines: [String]
  ) -> ConformanceCase {
    ConformanceCase(
      "REL.check-\(name)", ["REL-12", "CARE-2"], "A check tells a reference that another program has broken.",
      needs: [.check, .updateWhere], without: ConformanceVariant.allButFresh
    ) { kit in
      let place = CapturingProvider(try kit.makePlace())
      let store = try kit.open([Poem.self], at: place)
      try store.insert(contentsOf: [Poet(1), Poet(2)])
      try store.insert(contentsOf: [Poem(1, poet: 1), Poem(2, poet: 2), Poem(3), Poem(4, poet: 1)])
      try expectEqual(try store.check(), [])
      let writer = try unwrap(place.backend).beginWrite(WriteOptions())
      let schema = writer.schema
      try write(writer, unwrap(schema.model(named: "Poet")).id, unwrap(schema.model(named: "Poem")).id)
      _ = try writer.commit()
      let found = try store.check()
      for line in lines { try expect(found.contains { $0.contains(line) }, "\(found) does not say: \(line)") }
      try store.write { tx in
        try tx.upsert(contentsOf: [Poet(1), Poet(66)])
        try tx.upsert(Poem(-9))
      }
      try expectEqual(try store.check(), [])
    }
  }
}

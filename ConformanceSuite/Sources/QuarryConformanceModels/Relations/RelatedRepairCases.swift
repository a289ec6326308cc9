import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// A repair of stores in which references lead to nothing, or will once a row that cannot be read is taken out.
enum RelatedRepairCases {
  private typealias Rule = PropertySchema.Reference.DeleteRule

  private static func repair(
    _ name: String, _ summary: String, line: Int = #line, _ body: @escaping @Sendable (Chain) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "REL.repair-\(name)", ["REL-12", "CARE-11"], summary,
      needs: [.check, .repair, .upsert, .deleteWhere, .updateWhere, .schemaCreateIndex, .schemaDropIndex],
      without: ConformanceVariant.allButFresh, line: line
    ) { kit in try body(Chain(kit: kit)) }
  }

  /// Three models in a row, C refers to B, B to A, and what a repair keeps of them.
  private struct Chain {
    let kit: ConformanceContext

    /// A store in which A 1 was removed by another program.
    func store(
      _ first: (rule: Rule, isOptional: Bool), _ second: (rule: Rule, isOptional: Bool), removed: Int...
    ) throws -> Store {
      let place = CapturingProvider(try kit.makePlace())
      let store = try kit.open(
        program: [
          .linked("A"), .linked("B", .reference("a", to: "A", first.rule, isOptional: first.isOptional)),
          .linked("C", .reference("b", to: "B", second.rule, isOptional: second.isOptional)),
        ], at: place)
      try store.write { tx in
        try tx.records.insert(into: "A", (0..<4).map { .linked($0) })
        try tx.records.insert(into: "B", (0..<8).map { .linked($0, ["a": $0 / 2]) })
        try tx.records.insert(into: "C", (0..<16).map { .linked($0, ["b": $0 / 2]) })
      }
      try Self.remove("A", removed, unwrap(place.backend))
      try expect(try !store.check().isEmpty, "the check finds nothing")
      return store
    }

    /// Removes rows as a program without Quarry does.
    static func remove(_ name: String, _ keys: [Int], _ backend: any Backend) throws {
      let writer = try backend.beginWrite(WriteOptions())
      let model = try unwrap(writer.schema.model(named: name))
      _ = try writer.delete(model.id, keys.map { try Key.primary(.int(Int64($0)), model) })
      _ = try writer.commit()
    }

    /// Repairs the store, which is whole afterwards.
    ///
    /// - Returns: The model and the key of each object that was kept.
    func mended(_ store: Store, actions: Int, file: String = #fileID, line: Int = #line) throws -> [String] {
      let keeper = RowKeeper()
      let report = try store.repair(keeping: keeper)
      try expectEqual(report.remaining, [], file: file, line: line)
      try expectEqual(try store.check(), [], file: file, line: line)
      try expectEqual(report.removedRows, keeper.rows.count, "rows that were kept", file: file, line: line)
      try expect(keeper.isFinished, file: file, line: line)
      let told = report.actions.filter { $0.contains("not there") }
      try expectEqual(told.count, actions, "\(report.actions)", file: file, line: line)
      return keeper.rows.map { "\($0.model) \($0.key)" }.sorted()
    }
  }

  static let all: [ConformanceCase] = [
    repair("nil", "References that may be nil become nil, and their objects stay.") { chain in
      for rule in [Rule.nullify, .deny, .cascade] {
        let store = try chain.store((rule, true), (.cascade, false), removed: 1, 3)
        try expectEqual(try chain.mended(store, actions: 1), [])
        try expectEqual(try store.ids("B"), Array(0..<8))
        try expectEqual(try store.ids("C"), Array(0..<16))
        let links = try store.links("B", "a")
        for id in 0..<8 {
          try expectEqual(links[id], .some([0, 2].contains(id / 2) ? id / 2 : nil), "\(rule) \(id)")
        }
        try store.expectWhole()
      }
    },
    repair("taken-out", "Objects with references that cannot be nil are kept, and taken out.") { chain in
      let store = try chain.store((.deny, false), (.nullify, true), removed: 1)
      let keeper = RowKeeper()
      _ = try store.repair(keeping: keeper)
      try expectEqual(keeper.rows.map(\.key), ["2", "3"])
      try expect(keeper.rows.allSatisfy { $0.model == "B" && $0.reason.contains("a refers to A 1") }, "\(keeper.rows)")
      guard case .columns(let columns)? = keeper.rows.first?.content else {
        throw ConformanceFailure(message: "no columns are kept", file: #fileID, line: #line)
      }
      try expectEqual(columns.map(\.name), ["id", "note", "a"])
      try expectEqual(columns.map(\.value), [.int(2), .null, .int(1)])
      try expectEqual(try store.ids("B"), [0, 1, 4, 5, 6, 7])
      let links = try store.links("C", "b")
      for id in 0..<16 { try expectEqual(links[id], .some([2, 3].contains(id / 2) ? nil : id / 2), "\(id)") }
      try expectEqual(try store.check(), [])
      try store.expectWhole()
    },
    repair("cascade", "What a cascade takes out after that is kept, too.") { chain in
      for isOptional in [false, true] {
        let store = try chain.store((.cascade, false), (.cascade, isOptional), removed: 1)
        let kept = try chain.mended(store, actions: 2)
        try expectEqual(kept, ["B 2", "B 3", "C 4", "C 5", "C 6", "C 7"])
        try expectEqual(try store.ids("B"), [0, 1, 4, 5, 6, 7])
        try expectEqual(try store.ids("C"), [0, 1, 2, 3] + Array(8..<16))
        try store.expectWhole()
      }
    },
    repair("deny", "A reference that denies a removal refuses no repair.") { chain in
      let store = try chain.store((.deny, false), (.deny, false), removed: 0, 1)
      let kept = try chain.mended(store, actions: 2)
      try expectEqual(kept.count, 12)
      try expectEqual(try store.ids("B"), [4, 5, 6, 7])
      try expectEqual(try store.ids("C"), Array(8..<16))
      let other = try chain.store((.deny, false), (.deny, true), removed: 1)
      try expectEqual(try chain.mended(other, actions: 2), ["B 2", "B 3"])
      try expectEqual(try other.ids("C"), Array(0..<16))
      try expectEqual(try other.links("C", "b")[4], .some(nil))
      try other.expectWhole()
    },
    repair("of-itself", "Of objects that refer to each other in a row all behind a missing one go.") { chain in
      let place = CapturingProvider(try chain.kit.makePlace())
      let store = try chain.kit.open(
        program: [.linked("A", .reference("a", to: "A", .deny, isOptional: false))], at: place)
      try store.records.insert(into: "A", (0..<40).map { .linked($0, ["a": max(0, $0 - 1)]) })
      try Chain.remove("A", [20], unwrap(place.backend))
      try expectEqual(try chain.mended(store, actions: 1).count, 19)
      try expectEqual(try store.ids("A"), Array(0..<20))
      try store.expectWhole()
    },
    repair("many", "References that lead to nothing are mended, however many there are.") { chain in
      let place = CapturingProvider(try chain.kit.makePlace())
      let store = try chain.kit.open(
        program: [.linked("A"), .linked("B", .reference("a", to: "A", .deny))], at: place)
      try store.records.insert(into: "A", (0..<40).map { .linked($0) })
      try store.records.insert(into: "B", (0..<40).map { .linked($0, ["a": $0]) })
      try Chain.remove("A", Array(0..<25), unwrap(place.backend))
      try expectEqual(try chain.mended(store, actions: 1), [])
      try expectEqual(try store.links("B", "a").values.filter { $0 == nil }.count, 25)
    },
    repair("refused", "Where such an object cannot be kept, nothing is changed.") { chain in
      let store = try chain.store((.cascade, false), (.cascade, false), removed: 1)
      let before = try StoreImage(store)
      // The third is the first that the cascade takes out.
      for keeper in [RowKeeper(refusesAt: 0), .init(refusesAt: 2), .init(refusesEnd: true)] {
        try expectThrows(RowKeeper.Refuses.self) { try store.repair(keeping: keeper) }
        try expectEqual(try StoreImage(store), before)
      }
      try expectEqual(try chain.mended(store, actions: 2).count, 6)
    },
    repair("unreadable", "The references to a row that cannot be read are mended with it.") { chain in
      for isOptional in [true, false] {
        let place = CapturingProvider(try chain.kit.makePlace())
        let store = try chain.kit.open(
          program: [.linked("A"), .linked("B", .reference("a", to: "A", .deny, isOptional: isOptional))], at: place)
        try store.records.insert(into: "A", (0..<4).map { .linked($0) })
        try store.records.insert(into: "B", (0..<8).map { .linked($0, ["a": $0 / 2]) })
        guard try damage(2, unwrap(place.backend)), try !store.check().isEmpty else { return }
        let kept = try chain.mended(store, actions: 1)
        try expectEqual(kept, isOptional ? ["A 2"] : ["A 2", "B 4", "B 5"])
        try expectEqual(try store.ids("A"), [0, 1, 3])
        try expectEqual(try store.ids("B"), isOptional ? Array(0..<8) : [0, 1, 2, 3, 6, 7])
        if isOptional { try expectEqual(try store.links("B", "a")[4], .some(nil)) }
        try store.expectWhole()
      }
    },
  ]

  /// Gives A a text that is none.
  ///
  /// - Returns: Whether the backend took it.
  private static func damage(_ key: Int, _ backend: any Backend) throws -> Bool {
    let writer = try backend.beginWrite(WriteOptions())
    let model = try unwrap(writer.schema.model(named: "A"))
    let layout = RowLayout(model)
    let row = RowWriter(layout)
    row.begin()
    try row.set(layout.slots[0], value: .int(Int64(key)))
    try row.set(layout.slots[1], value: .string("marker"))
    var bytes = Array(try row.finish())
    for place in bytes.indices where bytes[place...].starts(with: Array("marker".utf8)) { bytes[place] = 0xFF }
    var batch = RowBatch()
    bytes.withUnsafeBytes { batch.append($0) }
    do throws(StorageError) {
      _ = try writer.upsert(model.id, batch, .replace)
      _ = try writer.commit()
      return true
    } catch {
      writer.rollback()
      return false
    }
  }
}

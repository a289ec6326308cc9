#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarryCore
  import QuarryDump
  import QuarryEngines
  import Testing

  @testable import QuarryPostgreSQL
  @testable import QuarryTestSupport

  /// Copies between SQLite and PostgreSQL, which `quarry copy` makes.
  @Suite struct CopyTests {
    private static func dump(_ store: Store) throws -> [UInt8] {
      var bytes: [UInt8] = []
      try store.dump { bytes += $0 }
      return bytes
    }

    private static let note = ModelSchema(
      name: "Note",
      properties: [
        PropertySchema(name: "id", type: .string), PropertySchema(name: "amount", type: .decimal),
        PropertySchema(name: "when", type: .date, isOptional: true), PropertySchema(name: "tree", type: .nested),
      ], primaryKey: 0, indexes: [IndexSchema(name: "when", columns: [.init(slot: 2, isDescending: true)])])

    private static func record(_ id: Int) -> Record {
      let tree: Value = .object([.init("n", .int(Int64(id))), .init("x", .double(id % 5 == 0 ? -0.0 : 0.5))])
      return Record([
        "id": .string("note \(id)\0"), "amount": .decimal(Decimal(id) / 8),
        "when": id % 3 == 0 ? .null : .date(Date(timeIntervalSinceReferenceDate: Double(id) * 0.1)), "tree": tree,
      ])
    }

    /// Many rows of one model, and a few of every type.
    @Test(.timeLimit(.minutes(5))) func aCopyThereAndBackHasTheSameDump() throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "quarry-copy-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let place = try TestPlace()
      let source = try Store(opening: .sqlite(at: folder.path + "/a.db"))
      defer { try? source.close() }
      try EveryType.fill(source)
      try source.write { tx in
        try tx.apply(.createModel(Self.note))
        for start in stride(from: 0, to: 65_000, by: 5_000) {
          try tx.records.insert(into: "Note", (start..<start + 5_000).map { Self.record($0) })
        }
      }
      let count = 65_000 + EveryType.keys.count
      #expect(try source.copy(to: place.place).rows == count)
      let copy = try place.open()
      defer { try? copy.close() }
      #expect(try copy.copy(to: .sqlite(at: folder.path + "/b.db")).rows == count)
      let back = try Store(opening: .sqlite(at: folder.path + "/b.db"))
      defer { try? back.close() }
      let expected = try Self.dump(source)
      #expect(try Self.dump(copy) == expected)
      #expect(try Self.dump(back) == expected)
      #expect(try copy.check().isEmpty)
    }
  }
#endif

import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// Rows that do not match their model, handed to the backend itself: what a check passes can be read.
enum ForeignRowCases {
  /// Bytes that are no row of an item, from a model of their own.
  static let rows: [(name: String, bytes: @Sendable (ModelSchema) throws -> [UInt8])] = [
    (
      "of a model with fewer properties",
      { _ in
        let layout = RowLayout(schema(Array(names.prefix(3))))
        return try row(layout, [.int(500), .string("foreign"), .null])
      }
    ),
    ("of a model with a key alone", { _ in try row(RowLayout(schema(["id"])), [.int(500)]) }),
    (
      "without a value that is needed",
      { item in
        try row(RowLayout(item), [.int(500), .null, .null, .string("n"), .double(0), .null, .array([])])
      }
    ),
    (
      "with text that is not UTF-8",
      { item in
        var bytes = try row(
          RowLayout(item), [.int(500), .string("marker"), .null, .string("n"), .double(0), .null, .array([])])
        for place in bytes.indices where bytes[place...].starts(with: Array("marker".utf8)) { bytes[place] = 0xFF }
        return bytes
      }
    ),
    (
      "with more bytes than it says",
      { item in
        try row(RowLayout(item), [.int(500), .string("c"), .null, .string("n"), .double(0), .null, .array([])])
          + Array("and more".utf8)
      }
    ),
    (
      "of another version",
      { item in
        var bytes = try row(
          RowLayout(item), [.int(500), .string("c"), .null, .string("n"), .double(0), .null, .array([])])
        bytes[0] = 9
        return bytes
      }
    ),
    ("of nothing", { _ in [] }),
  ]

  private static let names = ["id", "code", "rank"]

  private static func schema(_ names: [String]) -> ModelSchema {
    let types: [String: PropertySchema] = [
      "id": PropertySchema(name: "id", type: .int64), "code": PropertySchema(name: "code", type: .string),
      "rank": PropertySchema(name: "rank", type: .int64, isOptional: true),
    ]
    return ModelSchema(name: "Foreign", properties: names.compactMap { types[$0] }, primaryKey: 0)
  }

  private static func row(_ layout: RowLayout, _ values: [Value]) throws -> [UInt8] {
    let writer = RowWriter(layout)
    writer.begin()
    for (slot, value) in zip(layout.slots, values) where !value.isNull { try writer.set(slot, value: value) }
    return Array(try writer.finish())
  }

  /// - Returns: Whether the backend refused the row.
  static func insert(_ row: [UInt8], into backend: any Backend) throws -> Bool {
    var batch = RowBatch()
    row.withUnsafeBytes { batch.append($0) }
    let writer = try backend.beginWrite(WriteOptions())
    let item = try unwrap(writer.schema.model(named: "Item"))
    do throws(StorageError) {
      try writer.insert(item.id, batch)
      _ = try writer.commit()
      return false
    } catch {
      writer.rollback()
      return true
    }
  }

  static let all: [ConformanceCase] = rows.map { name, make in
    ConformanceCase(
      "CARE.foreign-row.\(name.replacing(" ", with: "-"))", ["CARE-2", "ERR-3"],
      "A row \(name) is refused, named by check, or read: check finds nothing only where everything can be read.",
      needs: [.check], without: ConformanceVariant.allButFresh
    ) { kit in
      let place = KeptPlace(try kit.makePlace())
      let store = try kit.open([Item.self], at: place)
      try store.insert(contentsOf: (0..<5).map { Item($0) })
      let isRefused = try insert(try make(try store.models()[0]), into: try unwrap(place.backend))
      let defects = try store.check()
      var failure: StorageError?
      var found: [Item] = []
      do { found = try store.fetch(Item.all) } catch { failure = error as? StorageError }
      if defects.isEmpty {
        try expect(failure == nil, "check finds nothing, and a fetch says \(failure.map { "\($0)" } ?? "")")
        try expectEqual(found.count, isRefused ? 5 : 6, "check finds nothing")
      } else {
        try expect(!isRefused, "what was refused left something behind: \(defects)")
        try expect(defects.contains { $0.contains("Item") }, "no defect names the model: \(defects)")
      }
    }
  }
}

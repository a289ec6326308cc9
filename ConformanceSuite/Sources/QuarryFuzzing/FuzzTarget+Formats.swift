import Foundation
import QuarryBackend

/// What is stored byte by byte: rows, keys, nested values, schemas, change sets, key slots.
extension FuzzTarget {
  // MARK: Rows

  /// Three shapes: numbers alone, one text, and every type, required and optional.
  private static let models = [
    ModelSchema(
      name: "Numbers",
      properties: [
        PropertySchema(name: "id", type: .int64), PropertySchema(name: "small", type: .uint8),
        PropertySchema(name: "maybe", type: .double, isOptional: true),
      ], primaryKey: 0),
    ModelSchema(
      name: "Text",
      properties: [
        PropertySchema(name: "key", type: .string),
        PropertySchema(name: "later", type: .string, defaultValue: .string("x")),
      ], primaryKey: 0),
    FuzzModel.schema,
  ]
  private static let layouts = models.map { RowLayout($0) }

  static let row = FuzzTarget(
    "row", "rows, in the first byte's model", codes: [.corrupt],
    seeds: {
      var seeds: [[UInt8]] = []
      let values: [[[Value]]] = [
        [[.int(7), .int(200), .null], [.int(-1), .int(0), .double(0.5)]],
        [[.string("a"), .string("")], [.string("e\u{301}\u{1F642}"), .string("b")]],
        (0..<3).map { FuzzModel.row($0).values },
      ]
      for (number, rows) in values.enumerated() {
        for row in rows { seeds.append([UInt8(number)] + (try written(row, number))) }
      }
      return seeds
    }
  ) { input in
    guard let first = input.first else { return nil }
    let number = Int(first) % models.count
    let (model, layout) = (models[number], layouts[number])
    let row = try RowView(input.from(1), layout)
    var values: [Value] = []
    var unreadable: StorageError?
    for slot in layout.slots {
      do throws(StorageError) {
        values.append(try row.value(slot, layout))
      } catch {
        unreadable = error
      }
    }
    let defects = row.defects(layout, model)
    try row.validate(layout)
    if let unreadable { return "it was validated, and cannot be read: \(unreadable)" }
    // A row without its primary key is a row of nothing.
    guard defects.isEmpty else { return nil }
    let again = try written(values, number)
    let same = try again.withBytes { bytes throws(StorageError) in
      let view = try RowView(bytes, layout)
      return try layout.slots.map { slot throws(StorageError) in try view.value(slot, layout) }
    }
    return same == values ? nil : "\(values) written and read again are \(same)"
  }

  private static func written(_ values: [Value], _ number: Int) throws(StorageError) -> [UInt8] {
    let writer = RowWriter(layouts[number])
    writer.begin()
    for (slot, value) in zip(layouts[number].slots, values) { try writer.set(slot, value: value) }
    return Array(try writer.finish())
  }

  // MARK: Keys

  static let key = FuzzTarget(
    "key", "primary keys, of the first byte's type", codes: [.corrupt],
    seeds: {
      try FuzzModel.types.filter { $0.type != .nested && $0.type != .array }.map { type in
        [type.type.rawValue] + (try Key.primary(type.value, keyed(type.type)).bytes)
      }
    }
  ) { input in
    guard let first = input.first, let type = PropertyType(rawValue: first % 20) else { return nil }
    let bytes = input.from(1)
    let value = try Key.value(of: bytes, type: type)
    let again = try Key.primary(value, keyed(type))
    switch type {
    // Zeros, NaN and addresses have one form each, which other bytes are read as.
    case .float, .double, .date, .url:
      let second = try again.bytes.withBytes { bytes throws(StorageError) in try Key.value(of: bytes, type: type) }
      return try Key.primary(second, keyed(type)) == again ? nil : "\(value) changes with each reading"
    default: return again.bytes.elementsEqual(bytes) ? nil : "\(value) has the key \(again.bytes)"
    }
  }

  private static func keyed(_ type: PropertyType) -> ModelSchema {
    ModelSchema(name: "Keyed", properties: [PropertySchema(name: "key", type: type)], primaryKey: 0)
  }

  // MARK: Nested values

  static let nested = FuzzTarget(
    "nested", "nested values", codes: [.corrupt, .limitExceeded],
    seeds: { try FuzzModel.types.map { try NestedCoding.encode($0.value) } }
  ) { input in
    let value = try NestedCoding.decode(input)
    let again = try NestedCoding.encode(value).withBytes { bytes throws(StorageError) in try NestedCoding.decode(bytes)
    }
    return again == value ? nil : "\(value) written and read again is \(again)"
  }

  // MARK: Schemas

  private static let codec = SchemaCodec(escapesSlashes: false) { "format \($0)" }

  static let schema = FuzzTarget(
    "schema", "stored schemas", codes: [.corrupt, .schemaTooNew],
    seeds: {
      var schema = Schema()
      schema.models = models
      return [try codec.encode(Schema()), try codec.encode(schema)]
    }
  ) { input in
    let schema = try codec.decode(Data(input))
    let again = try codec.decode(Data(try codec.encode(schema)))
    return again == schema ? nil : "written and read again it is another one"
  }

  // MARK: Change sets

  static let changes = FuzzTarget(
    "changes", "change sets, with a right checksum put behind them", codes: [.corrupt, .schemaTooNew],
    seeds: {
      var set = ChangeSet()
      let row = Row([1, 2, 3])
      set.models[ModelID(1)] = .objects([
        .init(key: Key([1]), kind: .insertion, new: row), .init(key: Key([2]), kind: .update, old: row, new: Row([])),
        .init(key: Key([3]), kind: .deletion, old: row),
      ])
      set.models[ModelID(2)] = .unknown
      let changes = CommittedChanges(version: CommitVersion(7), schemaVersion: 1, changes: set)
      return [Array(changes.encoded().dropLast(4))]
    }
  ) { input in
    var bytes = Array(input)
    bytes.append(littleEndian: CRC32C.checksum(input))
    let changes = try bytes.withBytes { bytes throws(StorageError) in try CommittedChanges(decoding: bytes) }
    return changes.encoded() == bytes ? nil : "written again they are other bytes"
  }

  // MARK: Key slots

  static let keySlot = FuzzTarget(
    "key-slot", "the slots of a store's key, with a right checksum put in", codes: [.schemaTooNew],
    seeds: {
      let zeros = [UInt8](repeating: 0, count: 16)
      return [EnvelopeSlot.Derivation.hkdf, .scrypt(logN: 15, r: 8, p: 1)].map { derivation in
        let slot = EnvelopeSlot(suite: 1, derivation: derivation, identity: zeros, salt: zeros, generation: 1)
        return Array(slot.bytes.dropLast(4))
      }
    }
  ) { input in
    var bytes = Array(input)
    bytes.append(littleEndian: CRC32C.checksum(input))
    guard let slot = try EnvelopeSlot(bytes) else { return nil }
    return slot.bytes == bytes ? nil : "written again it is \(slot.bytes)"
  }
}

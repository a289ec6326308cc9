import Foundation
import QuarryBackend
import QuarryTestSupport

/// A model with a required and an optional property of every type, and some that older rows do not have.
enum Everything {
  static let scalars = PropertyType.allCases.filter(\.isOrdered)

  static let model: ModelSchema = {
    var properties = [PropertySchema(name: "id", type: .int64)]
    for type in scalars {
      properties.append(PropertySchema(name: type.name, type: type))
      properties.append(PropertySchema(name: type.name + "Maybe", type: type, isOptional: true))
    }
    properties.append(PropertySchema(name: "tree", type: .nested, isOptional: true))
    properties.append(PropertySchema(name: "list", type: .array, isOptional: true, elementType: .int64))
    for (name, type, value) in added {
      properties.append(PropertySchema(name: name, type: type, isOptional: true, defaultValue: value))
    }
    return ModelSchema(id: ModelID(1), name: "Everything", properties: properties, primaryKey: 0)
  }()

  /// Properties that came later, with their defaults.
  static let added: [(String, PropertyType, Value?)] = [
    ("addedInt", .int64, .int(100)), ("addedText", .string, .string("ab")), ("addedNil", .double, nil),
    ("addedNaN", .double, .double(.nan)), ("addedFlag", .bool, .bool(true)),
  ]

  static let layout = RowLayout(model)

  /// The layouts that rows of several ages were written with, the oldest first.
  static let ages: [RowLayout] = (0...added.count).map { missing in
    var older = model
    older.properties.removeLast(added.count - missing)
    return RowLayout(older)
  }

  static func slot(_ name: String) -> Int { model.slot(named: name)! }

  /// Values to draw from, ties and odd ones included.
  static func pool(_ property: PropertySchema) -> [Value] {
    var values = ValueSamples.ordered(property.type)
    switch property.type {
    case .double: values += [.double(-0.0), .double(100), .double(0x1p63)]
    case .float: values += [.float(-0.0), .float(0.1), .float(100)]
    case .date: values += [.date(Date(timeIntervalSinceReferenceDate: -0.0))]
    case .int64: values += [.int(9_007_199_254_740_993)]
    case .string: values += ["Ab", "abab", "xaBc", "*", "?", "\\", "straße", "\u{212A}"].map { .string($0) }
    case .nested: values = ValueSamples.trees + [.int(3), .string("ab")]
    case .array: values = [.array([]), .array([.int(1)]), .array([.int(1), .int(2), .int(3)])]
    default: break
    }
    return property.isOptional ? values + [.null] : values
  }

  static func random(_ generator: inout SeededGenerator) -> [Value] {
    model.properties.map { pool($0).randomElement(using: &generator)! }
  }

  /// The row's bytes in the form of that age.
  static func bytes(_ values: [Value], age: RowLayout = layout, checksum: Bool = false) throws -> [UInt8] {
    let writer = RowWriter(age)
    writer.begin()
    for slot in age.slots { try writer.set(slot, value: values[Int(slot.index)]) }
    return Array(try writer.finish(checksum: checksum))
  }

  /// What the row of that age holds: its values, then defaults.
  static func seen(_ values: [Value], age: RowLayout) -> [Value] {
    values.indices.map { $0 < age.slotCount ? values[$0] : model.properties[$0].defaultValue ?? .null }
  }
}

/// Rows at addresses that stay, as a cursor would lend them.
final class LentRows {
  let rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
  private var owned: [UnsafeMutableRawBufferPointer] = []

  init(_ all: [[UInt8]]) {
    rows = .allocate(capacity: max(1, all.count))
    for (index, bytes) in all.enumerated() {
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
      copy.copyBytes(from: bytes)
      owned.append(copy)
      rows.initializeElement(at: index, to: UnsafeRawBufferPointer(copy))
    }
  }

  deinit {
    for copy in owned { copy.deallocate() }
    rows.deallocate()
  }
}

func matches(_ predicate: BoundPredicate, _ bytes: [UInt8], _ layout: RowLayout = Everything.layout) throws -> Bool {
  try bytes.withUnsafeBytes { try CompiledPredicate(predicate, layout).matches($0) }
}

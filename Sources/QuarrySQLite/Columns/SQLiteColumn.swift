import QuarryBackend
import QuarrySQL

/// How the values of a property are kept in a column.
enum SQLiteColumnKind: UInt8, Sendable {
  case bool, int8, int16, int32, int64, uint8, uint16, uint32
  /// INTEGER, above `Int64.max` a BLOB of eight bytes, the first one first, which comes after every INTEGER.
  case uint64
  /// A number that is a REAL; NaN is ``SQLConstant/nan``.
  case float, double
  case text, data
  /// TEXT of 36 characters with capital letters, whose order is that of the bytes.
  case uuid
  /// TEXT as people read it, with a column beside it whose bytes have the order of the numbers.
  case decimal
  /// JSON where it says all, else the bytes of a value tree.
  case tree

  init(_ type: PropertyType) throws(StorageError) {
    self =
      switch type {
      case .bool: .bool
      case .int8: .int8
      case .int16: .int16
      case .int32: .int32
      case .int64: .int64
      case .uint8: .uint8
      case .uint16: .uint16
      case .uint32: .uint32
      case .uint64: .uint64
      case .float: .float
      case .double, .date: .double
      case .string, .url: .text
      case .data: .data
      case .uuid: .uuid
      case .decimal: .decimal
      case .nested, .array: .tree
      case .reference, .many:
        throw .unsupported(.schemaAddProperty, "properties of type \(type.name) cannot be stored yet")
      }
  }

  /// The type in the definition of a table.
  var declaredType: String {
    switch self {
    case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: "INTEGER"
    // REAL columns lose the sign of zero.
    case .uint64, .float, .double, .tree: "ANY"
    case .text, .uuid, .decimal: "TEXT"
    case .data: "BLOB"
    }
  }

  /// Whether NaN is possible.
  var isFloatingPoint: Bool { self == .float || self == .double }

  /// Whether a table with such a key is keyed by SQLite's row number.
  var isRowNumber: Bool {
    switch self {
    case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: true
    default: false
    }
  }
}

/// A property of a model and its column.
struct SQLiteColumn: Sendable {
  let kind: SQLiteColumnKind
  /// The type of an array's elements.
  let elementType: PropertyType?
  /// The column by its names: that which is compared is of a decimal the one beside the value.
  let named: SQLColumn

  init(slot: RowLayout.Slot, kind: SQLiteColumnKind, elementType: PropertyType?, name: String, ordered: String) {
    self.kind = kind
    self.elementType = elementType
    named = SQLColumn(
      slot: slot, name: name, ordered: ordered, isFloatingPoint: kind.isFloatingPoint, isText: kind == .text)
  }

  var slot: RowLayout.Slot { named.slot }
  var name: String { named.name }
  var ordered: String { named.ordered }
}

/// The names that are used in SQL.
enum SQLiteName {
  /// The column for the bits of NaNs that are not ``SQLConstant/nan``.
  static let nan = "\"_quarry_nan\""

  /// Puts a name in quotes, so that it is a name whatever is in it.
  static func quoted(_ name: String) -> String {
    var result = "\""
    for scalar in name.unicodeScalars {
      if scalar == "\"" { result += "\"\"" } else { result.unicodeScalars.append(scalar) }
    }
    return result + "\""
  }

  /// The quoted name of the column with the order of a decimal.
  static func order(of property: String) -> String { quoted("_quarry_order_\(property)") }
}

import QuarryBackend

/// How the values of a property are kept in a column.
enum SQLiteColumnKind: UInt8, Sendable {
  case bool, int8, int16, int32, int64, uint8, uint16, uint32
  /// INTEGER, above `Int64.max` a BLOB of eight bytes, the first one first, which comes after every INTEGER.
  case uint64
  /// A number that is a REAL; NaN is ``SQLConstant/nan``.
  case float, double
  case text, data
  /// TEXT of 36 characters with capital letters, ordered by its bytes.
  case uuid
  /// TEXT as people read it, with a column next to it whose bytes have the order of the numbers.
  case decimal
  /// JSON where it says all, else the bytes of a value tree.
  case tree

  init(_ type: PropertyType) {
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

#if PostgreSQL
  import QuarryBackend

  /// How the values of a property are kept in a column.
  enum PostgreSQLColumnKind: UInt8, Sendable {
    case bool
    /// Integers that fit into `smallint`, `integer` and `bigint`.
    case int16, int32, int64
    /// `numeric` without digits after the point.
    case uint64
    case float
    /// A Double, or the seconds of a Date: no type for times keeps all bits of them.
    case double
    /// Text by its bytes, escaped by ``PostgreSQLText``.
    case text
    case data, uuid
    /// `numeric` without zeros at its end.
    case decimal
    /// JSON, next to which ``ExactTrees`` has what JSON cannot say.
    case tree

    init(_ type: PropertyType) {
      self =
        switch type {
        case .bool: .bool
        case .int8, .int16, .uint8: .int16
        case .int32, .uint16: .int32
        case .int64, .uint32: .int64
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
      case .bool: "boolean"
      case .int16: "smallint"
      case .int32: "integer"
      case .int64: "bigint"
      case .uint64: "numeric(20,0)"
      case .float: "real"
      case .double: "double precision"
      case .text: "text COLLATE \"C\""
      case .data: "bytea"
      case .uuid: "uuid"
      case .decimal: "numeric"
      case .tree: "jsonb"
      }
    }

    /// The server's number of the type, which is the same on all servers.
    var type: UInt32 {
      switch self {
      case .bool: 16
      case .data: PostgreSQLType.bytea
      case .int64: 20
      case .int16: 21
      case .int32: 23
      case .text: 25
      case .float: 700
      case .double: 701
      case .uint64, .decimal: 1700
      case .uuid: 2950
      case .tree: 3802
      }
    }

    /// The name of the type, as the server and the documentation have it.
    var typeName: String { self == .text ? "text" : declaredType }

    /// The server's number of the type of arrays of it.
    var arrayType: UInt32 {
      switch self {
      case .bool: 1000
      case .data: 1001
      case .int64: 1016
      case .int16: 1005
      case .int32: 1007
      case .text: 1009
      case .float: 1021
      case .double: 1022
      case .uint64, .decimal: 1231
      case .uuid: 2951
      case .tree: 3807
      }
    }

    /// Whether NaN is possible.
    var isFloatingPoint: Bool { self == .float || self == .double }

    /// Whether values have any length, so that an index has only their beginnings.
    var isLong: Bool { self == .text || self == .data }
  }

  /// Types of the server that are not those of properties alone.
  enum PostgreSQLType {
    static let bytea: UInt32 = 17
  }
#endif

#if PostgreSQL
  import QuarryBackend
  import QuarrySQL

  /// What reads and writes the values of a column. It refers to nothing, so that each row's fields copy it for nothing.
  struct PostgreSQLField: Sendable {
    let slot: RowLayout.Slot
    let kind: PostgreSQLColumnKind
    /// The type of an array's elements; nil for other values.
    let elementType: PropertyType?
  }

  /// A property of a model and its column.
  struct PostgreSQLColumn: Sendable {
    let field: PostgreSQLField
    /// The column by its quoted name.
    let named: SQLColumn

    /// - Parameter isIndexed: Whether the key or an index has the column: conditions and orders then name the beginnings of long
    ///   values, by which the server finds the index. It computes them for each row where there is none.
    init(_ slot: RowLayout.Slot, _ property: PropertySchema, isIndexed: Bool) {
      let kind = PostgreSQLColumnKind(property.type)
      field = PostgreSQLField(
        slot: slot, kind: kind, elementType: property.type == .array ? property.elementType : nil)
      let name = PostgreSQLName.quoted(PostgreSQLName.column(of: property.name))
      var beginning: SQLBeginning?
      // Without a type a parameter is taken for a text.
      let mark = SQLParameters.numbered.mark + (kind == .data ? "::bytea" : "")
      if kind.isLong, isIndexed {
        beginning = SQLBeginning(
          column: PostgreSQLBeginning.of(name, kind), constant: PostgreSQLBeginning.of(mark, kind))
      }
      named = SQLColumn(
        slot: slot, name: name, ordered: name, isFloatingPoint: kind.isFloatingPoint, isText: kind == .text,
        beginning: beginning)
    }

    var slot: RowLayout.Slot { field.slot }
    var kind: PostgreSQLColumnKind { field.kind }
    var name: String { named.name }
  }

  /// The beginnings of long values, which indexes have: an entry of the server's holds 2,704 bytes at most.
  enum PostgreSQLBeginning {
    /// Characters of a text, of which each has up to four bytes: four columns and a key fit into an entry.
    static let characters = 150

    /// The beginning of an expression's value, where a character takes the room of four bytes of data.
    static func of(_ expression: String, _ kind: PostgreSQLColumnKind) -> String {
      kind == .text ? "left(\(expression), \(characters))" : "substring(\(expression), 1, \(characters * 4))"
    }

    /// The condition that the beginning of a column is one of those of an array's elements.
    static func isOne(_ column: String, _ kind: PostgreSQLColumnKind, ofArray array: String) -> String {
      "\(of(column, kind)) = ANY(ARRAY(SELECT \(of("k", kind)) FROM unnest(\(array)) k))"
    }

    /// What tells values of one beginning apart in a unique index: a hash of those that are longer.
    static func rest(_ expression: String, _ kind: PostgreSQLColumnKind) -> String {
      let length =
        kind == .text
        ? "char_length(\(expression)) > \(characters)" : "octet_length(\(expression)) > \(characters * 4)"
      return "(CASE WHEN \(length) THEN sha256(\(bytes(expression, kind))) ELSE ''::bytea END)"
    }

    private static func bytes(_ expression: String, _ kind: PostgreSQLColumnKind) -> String {
      kind == .text ? "decode(replace(\(expression), E'\\\\', E'\\\\\\\\'), 'escape')" : expression
    }

    /// Bytes that are the same for equal values of a column and no others; NULL for NULL.
    static func identity(_ column: PostgreSQLColumn) -> String {
      let name = column.name
      // Zero has two signs, and NaN many bits.
      func number(_ type: String) -> String {
        "CASE WHEN \(name) = 'NaN' THEN 'NaN'::\(type) ELSE \(name) + 0::\(type) END"
      }
      switch column.kind {
      case .bool: return "boolsend(\(name))"
      case .int16: return "int2send(\(name))"
      case .int32: return "int4send(\(name))"
      case .int64: return "int8send(\(name))"
      case .float: return "float4send(\(number("real")))"
      case .double: return "float8send(\(number("double precision")))"
      case .uint64, .decimal: return "numeric_send(trim_scale(\(name)))"
      case .uuid: return "uuid_send(\(name))"
      case .text, .data: return bytes(name, column.kind)
      case .tree: return "jsonb_send(\(name))"
      }
    }
  }
#endif

#if PostgreSQL
  import QuarryBackend
  import QuarrySQL

  /// A property of a model and its column.
  struct PostgreSQLColumn: Sendable {
    let kind: PostgreSQLColumnKind
    /// The type of an array's elements; nil for other values.
    let elementType: PropertyType?
    /// The column by its quoted name.
    let named: SQLColumn

    init(_ slot: RowLayout.Slot, _ property: PropertySchema) {
      kind = PostgreSQLColumnKind(property.type)
      elementType = property.type == .array ? property.elementType : nil
      let name = PostgreSQLName.quoted(PostgreSQLName.column(of: property.name))
      var beginning: SQLBeginning?
      // Without a type a parameter is taken for a text.
      let mark = SQLParameters.numbered.mark + (kind == .data ? "::bytea" : "")
      if kind.isLong {
        beginning = SQLBeginning(
          column: PostgreSQLBeginning.of(name, kind), constant: PostgreSQLBeginning.of(mark, kind))
      }
      named = SQLColumn(
        slot: slot, name: name, ordered: name, isFloatingPoint: kind.isFloatingPoint, isText: kind == .text,
        beginning: beginning)
    }

    var slot: RowLayout.Slot { named.slot }
    var name: String { named.name }
  }

  /// The beginnings of long values, which indexes have: an entry of the server's holds 2,704 bytes at most.
  enum PostgreSQLBeginning {
    /// Characters of a text, of which each has up to four bytes: four columns and a key fit into an entry.
    static let characters = 150

    /// The beginning of an expression's value.
    ///
    /// - Parameter count: How many characters; a character takes the room of four bytes of data.
    static func of(_ expression: String, _ kind: PostgreSQLColumnKind, _ count: Int = characters) -> String {
      kind == .text ? "left(\(expression), \(count))" : "substring(\(expression), 1, \(count * 4))"
    }

    /// What tells values of one beginning apart in a unique index: a hash of those that are longer.
    static func rest(_ expression: String, _ kind: PostgreSQLColumnKind, _ count: Int) -> String {
      let (length, bytes) =
        kind == .text
        ? ("char_length(\(expression)) > \(count)", "decode(replace(\(expression), E'\\\\', E'\\\\\\\\'), 'escape')")
        : ("octet_length(\(expression)) > \(count * 4)", expression)
      return "(CASE WHEN \(length) THEN sha256(\(bytes)) ELSE ''::bytea END)"
    }
  }
#endif

#if PostgreSQL
  import QuarryBackend

  /// The columns of an index as the server's index has them.
  ///
  /// An entry of the server's has 2,704 bytes and 32 columns at most. Long values stand in it by their beginnings. Columns for
  /// which there is no room are left out of a plain index, which then orders by the others; a unique index has one hash of all of
  /// them.
  struct PostgreSQLIndexParts {
    private typealias Column = (column: PostgreSQLColumn, isDescending: Bool)

    /// A part of an index.
    struct Part {
      /// A column, or an expression in parentheses.
      let value: String
      /// What stands after it.
      let direction: String
      /// The direction as the server's catalog has it: 1 for descending, 2 for nil before every value.
      let options: Int

      init(_ value: String, of column: PostgreSQLColumn, isDescending: Bool) {
        self.value = value
        direction = PostgreSQLDefinition.direction(column, isDescending)
        // Without a word for nil, it comes last, and first where the order is descending.
        options = column.slot.isOptional == isDescending ? (isDescending ? 1 : 0) : (isDescending ? 3 : 2)
      }

      /// What only makes an entry unique.
      init(_ value: String) {
        self.value = value
        direction = ""
        options = 0
      }
    }

    /// What the server orders by.
    private var ordered: [Part] = []
    /// What else makes an entry of a unique index unique.
    private var hashes: [Part] = []

    var all: [Part] { ordered + hashes }
    var sql: String { all.map { $0.value + $0.direction }.joined(separator: ", ") }

    /// The bytes of columns, without the header of an entry and the hash of those that are left out.
    private static let room = 2_600
    /// One less than the server's number, for that hash.
    private static let mostParts = 31

    init(_ table: PostgreSQLTable, _ index: IndexSchema) throws(StorageError) {
      var columns: [Column] = []
      for column in index.columns { columns.append((try table.column(column.slot), column.isDescending)) }
      let hasKey = index.columns.contains { $0.slot == table.model.primaryKey }
      // In the direction of the last column, so that rows of equal values come in the order that queries ask for.
      if !index.isUnique, !hasKey { columns.append((table.key, columns.last?.isDescending ?? false)) }
      var room = Self.room
      var count = 0
      while count < columns.count {
        let column = columns[count].column
        let isLong = column.kind.isLong
        room -= Self.bytes(of: column.kind, isUnique: index.isUnique)
        let parts = ordered.count + hashes.count + (isLong && index.isUnique ? 2 : 1)
        guard room >= 0, parts <= Self.mostParts else { break }
        let value = isLong ? "(\(PostgreSQLBeginning.of(column.name, column.kind)))" : column.name
        ordered.append(Part(value, of: column, isDescending: columns[count].isDescending))
        if isLong, index.isUnique { hashes.append(Part(PostgreSQLBeginning.rest(column.name, column.kind))) }
        count += 1
      }
      guard index.isUnique, count < columns.count else { return }
      let rest = columns[count...].map { "sha256(\(PostgreSQLBeginning.identity($0.column)))" }
      hashes.append(Part("sha256(\(rest.joined(separator: " || ")))"))
    }

    /// The most bytes that a column takes of an entry.
    private static func bytes(of kind: PostgreSQLColumnKind, isUnique: Bool) -> Int {
      guard kind.isLong else { return kind == .decimal || kind == .uint64 ? 32 : 16 }
      return PostgreSQLBeginning.characters * 4 + 8 + (isUnique ? 40 : 0)
    }
  }
#endif

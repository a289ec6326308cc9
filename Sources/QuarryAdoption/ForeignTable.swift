package import QuarryBackend

/// A table as another program has declared it.
package struct ForeignTable: Sendable {
  struct Column: Sendable {
    var name: String
    /// The declared type in capital letters; empty where there is none.
    var declaration: String
    var isRequired: Bool
    /// The place in the primary key from 1 on; 0 for columns that are not in it.
    var keyPlace: Int
  }

  struct ForeignKey: Sendable {
    var column: String
    var table: String
    /// Nil where the key of the other table is meant.
    var target: String?
    var rule: String
  }

  struct Index: Sendable {
    var columns: [(name: String, isDescending: Bool)]
    var isUnique: Bool
  }

  package var name: String
  var columns: [Column]
  var foreignKeys: [ForeignKey] = []
  var indexes: [Index] = []
  /// The name by which the number of a row is read; nil where rows have none.
  var rowID: String?
  /// What of the declarations has no counterpart.
  var notes: [String] = []

  func column(_ name: String) -> Column? { columns.first { Self.isSame($0.name, name) } }

  /// Names of SQLite are the same whatever the case of their letters.
  static func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count
      && zip(left.utf8, right.utf8).allSatisfy { lowered($0) == lowered($1) }
  }

  private static func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}

extension ForeignDatabase {
  /// More tables or columns than these are refused.
  private static let limit = 10_000

  /// The names of the tables, in the order of their creation.
  ///
  /// - Throws: `corrupt`, `io`.
  package func tableNames() throws(StorageError) -> [String] {
    let statement = try ForeignStatement(
      self,
      """
      SELECT name FROM sqlite_schema
      WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid
      """)
    var names: [String] = []
    while try statement.step() {
      names.append(statement.text(0))
      guard names.count <= Self.limit else { throw .limitExceeded("tables", limit: Self.limit, actual: names.count) }
    }
    return names
  }

  /// The program that made the database, as far as its tables tell.
  package func kind() throws(StorageError) -> Kind {
    let names = try tableNames()
    if names.contains("Z_PRIMARYKEY"), names.contains("Z_METADATA") { return .coreData }
    return names.contains("grdb_migrations") ? .grdb : .plain
  }

  /// The declaration of a table.
  ///
  /// - Throws: `notFound` with the nearest name; `corrupt`, `io`.
  package func table(_ name: String) throws(StorageError) -> ForeignTable {
    let names = try tableNames()
    guard let name = names.first(where: { ForeignTable.isSame($0, name) }) else {
      throw StorageError(
        .notFound, "\(path) has no table \(name.shortened)" + NearestName.suggestion(for: name, among: names))
    }
    var table = ForeignTable(name: name, columns: try columns(of: name))
    guard !table.columns.isEmpty else { throw StorageError(.unsupported, "the table \(name) has no columns to read") }
    table.rowID = ["rowid", "_rowid_", "oid"].first { word in
      table.column(word) == nil
        && (try? ForeignStatement(self, "SELECT \(word) FROM \(Self.quoted(name))")) != nil
    }
    try readForeignKeys(&table)
    try readIndexes(&table)
    return table
  }

  private func columns(of table: String) throws(StorageError) -> [ForeignTable.Column] {
    let statement = try ForeignStatement(
      self, "SELECT name, type, \"notnull\", pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid", [table])
    var columns: [ForeignTable.Column] = []
    while try statement.step() {
      // Hidden columns of virtual tables are arguments and no values.
      guard statement.integer(4) != 1 else { continue }
      columns.append(
        ForeignTable.Column(
          name: statement.text(0), declaration: statement.text(1).uppercased(), isRequired: statement.integer(2) != 0,
          keyPlace: Int(clamping: statement.integer(3))))
    }
    return columns
  }

  private func readForeignKeys(_ table: inout ForeignTable) throws(StorageError) {
    let statement = try ForeignStatement(
      self, "SELECT id, \"from\", \"table\", \"to\", on_delete FROM pragma_foreign_key_list(?) ORDER BY id, seq",
      [table.name])
    var found: [Int64: [ForeignTable.ForeignKey]] = [:]
    while try statement.step() {
      let key = ForeignTable.ForeignKey(
        column: statement.text(1), table: statement.text(2), target: statement.kind(3) == 5 ? nil : statement.text(3),
        rule: statement.text(4).uppercased())
      found[statement.integer(0), default: []].append(key)
    }
    for (_, keys) in found.sorted(by: { $0.key < $1.key }) {
      if keys.count == 1 {
        table.foreignKeys.append(keys[0])
      } else {
        let names = keys.map(\.column).joined(separator: ", ")
        table.notes.append(
          "\(table.name): the foreign key (\(names)) has several columns and does not become a reference")
      }
    }
  }

  private func readIndexes(_ table: inout ForeignTable) throws(StorageError) {
    let list = try ForeignStatement(
      self, "SELECT name, \"unique\", origin, partial FROM pragma_index_list(?) ORDER BY seq DESC", [table.name])
    while try list.step() {
      let name = list.text(0)
      let origin = list.text(2)
      if origin == "pk", table.columns.count(where: { $0.keyPlace > 0 }) == 1 { continue }
      let columns = try ForeignStatement(
        self, "SELECT cid, name, \"desc\" FROM pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno", [name])
      var index = ForeignTable.Index(columns: [], isUnique: list.integer(1) != 0)
      var isPlain = list.integer(3) == 0
      while try columns.step() {
        if columns.integer(0) < 0 { isPlain = false }
        index.columns.append((columns.text(1), columns.integer(2) != 0))
      }
      if isPlain, !index.columns.isEmpty {
        table.indexes.append(index)
      } else {
        table.notes.append(
          "\(table.name): the index \(name) is over expressions or a part of the rows, and is left out")
      }
    }
  }
}

import QuarryBackend

/// The full-text tables of a database, and the tables in which SQLite's modules keep their own data.
///
/// A full-text table repeats columns of another table, where it names one: `fts5(title, content='book')`. These columns are
/// searchable in Quarry, and the table is left out. Without such a name it holds the texts itself, and is a table like others.
struct SearchTables {
  struct Index {
    var name: String
    var columns: [String]
    /// The table that the index is of; nil where it holds the texts itself, and empty where it holds none.
    var content: String?
  }

  private(set) var indexes: [Index] = []
  /// The names of tables that belong to a virtual table.
  private(set) var shadows: [String] = []

  init(_ database: ForeignDatabase) throws(StorageError) {
    let tables = try ForeignStatement(
      database, "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'")
    while try tables.step() { shadows.append(tables.text(0)) }
    let statement = try ForeignStatement(
      database, "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%'")
    var found: [(name: String, arguments: [String])] = []
    while try statement.step() {
      if let arguments = Self.arguments(statement.text(1)) { found.append((statement.text(0), arguments)) }
    }
    for (name, arguments) in found {
      let columns = try ForeignStatement(
        database, "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid", [name])
      var index = Index(name: name, columns: [], content: Self.option("content", arguments))
      while try columns.step() { index.columns.append(columns.text(0)) }
      indexes.append(index)
    }
  }

  /// Whether the table holds nothing that another one does not have.
  func isDerived(_ table: String) -> Bool {
    shadows.contains { ForeignTable.isSame($0, table) }
      || indexes.contains { $0.content != nil && ForeignTable.isSame($0.name, table) }
  }

  /// The columns of a table whose words are searched.
  func columns(of table: String) -> [String] {
    indexes.filter { ForeignTable.isSame($0.content ?? $0.name, table) }.flatMap(\.columns)
  }

  /// The arguments of a full-text module; nil of other modules.
  private static func arguments(_ sql: String) -> [String]? {
    guard let open = sql.utf8.firstIndex(of: UInt8(ascii: "(")) else { return nil }
    let module = sql[..<open].split { " \t\r\n".contains($0) }.last ?? ""
    guard ["fts3", "fts4", "fts5"].contains(module.lowercased()) else { return nil }
    var parts: [[UInt8]] = [[]]
    var quote: UInt8?
    for byte in sql[sql.utf8.index(after: open)...].utf8 {
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "[") {
        quote = UInt8(ascii: "]")
      } else if [UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`")].contains(byte) {
        quote = byte
      } else if byte == UInt8(ascii: ",") {
        parts.append([])
        continue
      } else if byte == UInt8(ascii: ")") {
        break
      }
      parts[parts.count - 1].append(byte)
    }
    return parts.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The value of an option, without its quotes.
  private static func option(_ name: String, _ arguments: [String]) -> String? {
    for argument in arguments {
      guard let equals = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let blanks: (Character) -> Bool = { " \t\r\n".contains($0) }
      guard argument[..<equals].filter({ !blanks($0) }).lowercased() == name else { continue }
      var value = argument[argument.utf8.index(after: equals)...].drop(while: blanks)
      while let last = value.last, blanks(last) { value.removeLast() }
      guard let mark = value.first, "'\"`[".contains(mark), value.count >= 2 else { return String(value) }
      return String(value.dropFirst().dropLast()).split(
        separator: String(repeating: mark, count: 2), omittingEmptySubsequences: false
      ).joined(separator: String(mark))
    }
    return nil
  }
}

import QuarryBackend

/// The entities of a database of Core Data or SwiftData, by its table `Z_PRIMARYKEY`.
///
/// Columns have the names of attributes in capital letters behind a `Z`. The letters' case is in the program's own model alone.
struct CoreDataEntities {
  /// The names of entities by their numbers.
  let names: [Int64: String]
  private let parents: [Int64: Int64]

  init(_ database: ForeignDatabase) throws(StorageError) {
    var names: [Int64: String] = [:]
    var parents: [Int64: Int64] = [:]
    let statement = try ForeignStatement(database, "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY")
    while try statement.step() {
      names[statement.integer(0)] = statement.text(1)
      parents[statement.integer(0)] = statement.integer(2)
      guard names.count <= 10_000 else { throw .limitExceeded("entities", limit: 10_000, actual: names.count) }
    }
    self.names = names
    self.parents = parents
  }

  /// The entity at the top of an entity's parents, which has the table.
  private func root(_ entity: Int64) -> Int64 {
    var entity = entity
    for _ in 0..<64 {
      guard let parent = parents[entity], parent > 0, names[parent] != nil else { return entity }
      entity = parent
    }
    return entity
  }

  private func table(_ entity: Int64) -> String? { names[root(entity)].map { "Z" + $0.uppercased() } }

  private func entity(_ table: String) -> Int64? {
    names.keys.sorted().first { root($0) == $0 && self.table($0) == table }
  }

  /// Whether objects of several entities are in the table.
  func isShared(_ table: String) -> Bool { names.keys.count { self.table($0) == table } > 1 }

  /// Whether a table has entities, or links between them: `Z_1AUTHORS`.
  func isOwn(_ table: String) -> Bool { entity(table) != nil || Self.numbered(table) != nil }

  func modelName(_ table: String) -> String {
    if let entity = entity(table), let name = names[entity] { return Naming.typeName(name) }
    guard let link = Self.numbered(table) else { return Naming.typeName(table) }
    return Naming.typeName((names[link.number] ?? "") + "_" + link.name.lowercased())
  }

  func propertyName(_ column: String) -> String {
    switch column {
    case "Z_PK": return "id"
    case "Z_ENT": return "entity"
    default: break
    }
    if let link = Self.numbered(column) { return Naming.memberName(link.name.lowercased()) }
    return Naming.memberName((column.hasPrefix("Z") ? String(column.dropFirst()) : column).lowercased())
  }

  /// The number and the name in `Z_1AUTHORS`.
  private static func numbered(_ name: String) -> (number: Int64, name: String)? {
    guard name.hasPrefix("Z_") else { return nil }
    let rest = name.dropFirst(2)
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits), digits.count < rest.count else { return nil }
    return (number, String(rest.dropFirst(digits.count)))
  }

  /// The references of a table: links name the entity's number; of other columns those that have the name of an entity and whose
  /// values are all keys of it.
  func references(
    _ draft: AdoptionBuilder.Draft, _ all: [AdoptionBuilder.Draft]
  ) throws(StorageError) -> [ForeignTable.ForeignKey] {
    let isLink = Self.numbered(draft.table.name) != nil
    return draft.table.columns.compactMap { column in
      let table: String?
      if isLink, let link = Self.numbered(column.name), !link.name.hasPrefix("FOK_") {
        table = self.table(link.number)
      } else if column.declaration == "INTEGER", !column.name.hasPrefix("Z_"),
        all.contains(where: { $0.table.name == column.name })
      {
        table = column.name
      } else {
        table = nil
      }
      return table.map { ForeignTable.ForeignKey(column: column.name, table: $0, target: "Z_PK", rule: "SET NULL") }
    }
  }
}

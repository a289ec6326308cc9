import QuarryBackend

/// Makes models of tables.
final class AdoptionBuilder {
  /// A table that was read, and its model without references.
  struct Draft {
    var table: ForeignTable
    var plan: TablePlan
    var surveys: [ColumnSurvey]
    /// The property of a column.
    func slot(ofColumn name: String) -> Int? {
      plan.sources.firstIndex {
        if case .column(let column, _) = $0 { return ForeignTable.isSame(column, name) }
        return false
      }
    }
  }

  let database: ForeignDatabase
  private let naming: AdoptionPlan.Naming
  private let stored: [ModelSchema]
  let kind: ForeignDatabase.Kind
  private let entities: CoreDataEntities?
  private let searches: SearchTables
  private(set) var drafts: [Draft] = []
  private(set) var notes: [String] = []

  init(
    _ database: ForeignDatabase, naming: AdoptionPlan.Naming, stored: [ModelSchema]
  ) throws(StorageError) {
    self.database = database
    self.naming = naming
    self.stored = stored
    kind = try database.kind()
    entities = kind == .coreData ? try CoreDataEntities(database) : nil
    searches = try SearchTables(database)
  }

  /// The tables that hold data of the program: none of a library's own.
  var ownTables: [String] {
    get throws(StorageError) {
      try database.tableNames().filter { name in
        guard !searches.isDerived(name) else { return false }
        return switch kind {
        case .grdb: name != "grdb_migrations"
        case .coreData: entities?.isOwn(name) == true
        case .plain: true
        }
      }
    }
  }

  func read(_ tables: [String], _ modelName: String?) throws(StorageError) {
    guard !tables.isEmpty else {
      throw StorageError(.invalidQuery, "\(database.path) has no table with data of a program")
    }
    for name in tables {
      let table = try database.table(name)
      guard !drafts.contains(where: { $0.table.name == table.name }) else { continue }
      notes += table.notes
      let model = modelName ?? self.modelName(table.name)
      let taken = drafts.map(\.plan.model.name)
      drafts.append(try draft(table, tables.count == 1 ? model : Naming.free(model, taken)))
    }
  }

  private func modelName(_ table: String) -> String {
    if let entities { return entities.modelName(table) }
    return naming == .swift ? Naming.typeName(table) : table
  }

  private func propertyName(_ column: String) -> String {
    if let entities { return entities.propertyName(column) }
    return naming == .swift ? Naming.memberName(column) : column
  }

  private func draft(_ table: ForeignTable, _ name: String) throws(StorageError) -> Draft {
    let surveys = try survey(table)
    let model = ModelSchema(name: name, properties: [], primaryKey: 0)
    var draft = Draft(table: table, plan: TablePlan(table: table.name, model: model, sources: []), surveys: [])
    let keys = table.columns.filter { $0.keyPlace > 0 }
    for (column, survey) in zip(table.columns, surveys) {
      if let entities, column.name == "Z_OPT" || column.name == "Z_ENT" && !entities.isShared(table.name) { continue }
      var (type, form, note) = ForeignForm.choose(column, survey, isCoreData: kind == .coreData)
      if let entities, column.name == "Z_ENT" { (type, form, note) = (.string, .names(entities.names), nil) }
      if let note { notes.append("\(table.name).\(column.name): \(note)") }
      let isRequired = survey.nulls == 0 && (column.isRequired || column.keyPlace > 0)
      let property = Naming.free(propertyName(column.name), draft.plan.model.properties.map(\.name))
      draft.plan.model.properties.append(PropertySchema(name: property, type: type, isOptional: !isRequired))
      draft.plan.sources.append(.column(column.name, form))
      draft.surveys.append(survey)
    }
    addSearches(&draft)
    addKey(&draft, keys)
    addIndexes(&draft)
    return draft
  }

  /// Makes the columns of full-text tables searchable.
  private func addSearches(_ draft: inout Draft) {
    for column in searches.columns(of: draft.table.name) {
      guard let slot = draft.slot(ofColumn: column), draft.plan.model.properties[slot].type == .string else { continue }
      draft.plan.model.properties[slot].search = PropertySchema.Search()
      let property = draft.plan.model.properties[slot].name
      notes.append("\(draft.table.name).\(column): \(property) is searchable, as it is in a full-text table")
    }
  }

  /// The content of each column.
  private func survey(_ table: ForeignTable) throws(StorageError) -> [ColumnSurvey] {
    var surveys = table.columns.map { _ in ColumnSurvey() }
    let statement = try ForeignStatement(database, table.selection)
    while try statement.step() {
      for index in surveys.indices { surveys[index].add(statement, Int32(index)) }
    }
    return surveys
  }

  /// The declared key of one column, or else the number of the row.
  private func addKey(_ draft: inout Draft, _ keys: [ForeignTable.Column]) {
    if keys.count == 1, let slot = draft.slot(ofColumn: keys[0].name), draft.surveys[slot].nulls == 0 {
      draft.plan.model.primaryKey = slot
      draft.plan.model.properties[slot].isOptional = false
      return
    }
    if keys.count > 1, addCompoundKey(&draft, keys) { return }
    let names = draft.plan.model.properties.map(\.name)
    let name = Naming.free(names.contains { ForeignTable.isSame($0, "id") } ? "rowID" : "id", names)
    draft.plan.model.properties.insert(PropertySchema(name: name, type: .int64), at: 0)
    draft.plan.sources.insert(draft.table.rowID.map { .rowID($0) } ?? .counted, at: 0)
    draft.surveys.insert(ColumnSurvey(), at: 0)
    draft.plan.model.primaryKey = 0
    let why =
      switch keys.count {
      case 0: "the table declares none"
      case 1: "the declared key has nils"
      default: "the declared key has nils, or too many columns"
      }
    notes.append("\(draft.table.name): the key is \(name), the number of the row, because \(why)")
    if keys.count > 1 {
      let columns = keys.sorted { $0.keyPlace < $1.keyPlace }.map { (name: $0.name, isDescending: false) }
      draft.table.indexes.insert(ForeignTable.Index(columns: columns, isUnique: true), at: 0)
    }
  }

  /// The declared key of several columns.
  ///
  /// - Returns: Whether the columns can be a key.
  private func addCompoundKey(_ draft: inout Draft, _ keys: [ForeignTable.Column]) -> Bool {
    let slots = keys.sorted { $0.keyPlace < $1.keyPlace }.compactMap { draft.slot(ofColumn: $0.name) }
    let isTaken = draft.plan.model.properties.contains { ForeignTable.isSame($0.name, KeyMember.propertyName) }
    guard slots.count == keys.count, slots.count <= KeyMember.maximumCount, !isTaken,
      slots.allSatisfy({ draft.surveys[$0].nulls == 0 && draft.plan.model.properties[$0].type.isOrdered })
    else { return false }
    for slot in slots { draft.plan.model.properties[slot].isOptional = false }
    let members = slots.map { KeyMember(draft.plan.model.properties[$0].type) }
    draft.plan.model.keyMembers = slots
    draft.plan.model.primaryKey = draft.plan.model.properties.count
    draft.plan.model.properties.append(PropertySchema(name: KeyMember.propertyName, type: .data, keyMembers: members))
    draft.plan.sources.append(.key)
    draft.surveys.append(ColumnSurvey())
    return true
  }

  private func addIndexes(_ draft: inout Draft) {
    for index in draft.table.indexes {
      let columns = index.columns.compactMap { column in
        draft.slot(ofColumn: column.name).map { IndexSchema.Column(slot: $0, isDescending: column.isDescending) }
      }
      guard columns.count == index.columns.count else { continue }
      let slots = columns.map(\.slot)
      if slots == draft.plan.model.keyMembers ?? [draft.plan.model.primaryKey] { continue }
      let known = draft.plan.model.indexes
      if known.contains(where: { $0.columns == columns && ($0.isUnique || !index.isUnique) }) { continue }
      // Rows with several nils are unique in SQLite, and are not in Quarry, where nil is a value like others.
      let nils = slots.contains { draft.surveys[$0].nulls > 1 }
      if index.isUnique, nils {
        let names = index.columns.map(\.name).joined(separator: ", ")
        notes.append(
          "\(draft.table.name): the index of \(names) is not unique, because several rows have nil in it")
      }
      draft.plan.model.indexes.append(
        IndexSchema(
          name: indexName(slots, draft.plan.model), columns: columns, isUnique: index.isUnique && !nils))
    }
  }

  private func indexName(_ slots: [Int], _ model: ModelSchema) -> String {
    var name = slots.map { model.properties[$0].name }.joined(separator: "_")
    while name.utf8.count > 55 { name.removeLast() }
    return Naming.free(name, model.indexes.map(\.name))
  }

  // MARK: References

  /// The plans, each behind those that it refers to.
  func plans() throws(StorageError) -> [TablePlan] {
    for place in drafts.indices { try addReferences(place) }
    var result: [TablePlan] = []
    var open = drafts.map(\.plan)
    while !open.isEmpty {
      let names = open.map(\.model.name)
      let next = open.firstIndex { plan in
        plan.model.properties.allSatisfy { property in
          guard let target = property.reference?.model, target != plan.model.name else { return true }
          return !names.contains(target)
        }
      }
      if let next {
        result.append(open.remove(at: next))
      } else {
        breakCircle(&open)
      }
    }
    return result
  }

  /// Takes a reference out of models that refer to each other in a circle.
  private func breakCircle(_ open: inout [TablePlan]) {
    let names = open.map(\.model.name)
    for slot in open[0].model.properties.indices {
      guard let target = open[0].model.properties[slot].reference?.model, target != open[0].model.name,
        names.contains(target)
      else { continue }
      open[0].model.properties[slot].reference = nil
      notes.append(
        "\(open[0].table).\(open[0].model.properties[slot].name): tables refer to each other in a circle; it becomes a value, "
          + "and quarry migrate --reference makes it a reference")
    }
  }

  private func addReferences(_ place: Int) throws(StorageError) {
    var keys = drafts[place].table.foreignKeys
    if let entities { keys += try entities.references(drafts[place], drafts) }
    for key in keys {
      let label = "\(drafts[place].table.name).\(key.column)"
      guard let slot = drafts[place].slot(ofColumn: key.column) else { continue }
      guard let target = try target(of: key) else {
        notes.append(
          "\(label): \(key.table) is not adopted with it, or not by the key that it refers to; it becomes a value")
        continue
      }
      let property = drafts[place].plan.model.properties[slot]
      guard property.type == target.property.type else {
        notes.append(
          "\(label): it is \(property.type.name), and the key of \(key.table) \(target.property.type.name); it becomes a value"
        )
        continue
      }
      guard try danglingCount(drafts[place].table.name, key, target.column) == 0 else {
        notes.append("\(label): it has values that are no key of \(key.table), and becomes a value")
        continue
      }
      setReference(place, slot, to: target.model, rule: key.rule)
    }
  }

  private func setReference(_ place: Int, _ slot: Int, to model: String, rule: String) {
    let property = drafts[place].plan.model.properties[slot]
    let rule: PropertySchema.Reference.DeleteRule =
      rule == "CASCADE" ? .cascade : rule == "SET NULL" && property.isOptional ? .nullify : .deny
    drafts[place].plan.model.properties[slot].reference = PropertySchema.Reference(to: model, deleteRule: rule)
    let plan = drafts[place].plan
    if slot != plan.model.primaryKey, !plan.model.indexes.contains(where: { $0.columns.first?.slot == slot }) {
      drafts[place].plan.model.indexes.append(
        IndexSchema(name: indexName([slot], plan.model), columns: [IndexSchema.Column(slot: slot)]))
    }
  }

  /// The model whose key a foreign key has; nil where it refers to something else.
  private func target(
    of key: ForeignTable.ForeignKey
  ) throws(StorageError) -> (model: String, property: PropertySchema, column: String)? {
    guard let draft = drafts.first(where: { ForeignTable.isSame($0.table.name, key.table) }) else {
      // A single table refers to models that the store has.
      guard let model = stored.first(where: { ForeignTable.isSame($0.name, key.table) }),
        let column = key.target ?? (try? database.table(key.table))?.columns.first(where: { $0.keyPlace == 1 })?.name,
        ForeignTable.isSame(model.keyProperty.name, column)
      else { return nil }
      return (model.name, model.keyProperty, column)
    }
    let model = draft.plan.model
    guard case .column(let column, _) = draft.plan.sources[model.primaryKey],
      key.target.map({ ForeignTable.isSame($0, column) }) ?? true
    else { return nil }
    return (model.name, model.keyProperty, column)
  }

  private func danglingCount(
    _ table: String, _ key: ForeignTable.ForeignKey, _ target: String
  ) throws(StorageError) -> Int64 {
    let column = ForeignDatabase.quoted(key.column)
    let other = ForeignDatabase.quoted(target)
    return try database.integer(
      """
      SELECT count(*) FROM \(ForeignDatabase.quoted(table)) AS a WHERE a.\(column) IS NOT NULL AND NOT EXISTS \
      (SELECT 1 FROM \(ForeignDatabase.quoted(key.table)) AS b WHERE b.\(other) = a.\(column))
      """)
  }
}

extension ForeignTable {
  /// Reads every column in its order.
  var selection: String {
    "SELECT " + columns.map { ForeignDatabase.quoted($0.name) }.joined(separator: ", ")
      + " FROM " + ForeignDatabase.quoted(name)
  }
}

import QuarryBackend
import QuarryCore
import QuarryQuery

/// What the contract says that a store has whose schema changes: dictionaries by names, without slots, ids or old rows.
package struct EvolvedSchema: Equatable {
  struct Property: Equatable {
    var name: String
    var type: PropertyType
    var isOptional = false
    var defaultValue: Value?
  }

  struct Index: Equatable {
    var name: String
    var columns: [(name: String, isDescending: Bool)]
    var isUnique: Bool

    static func == (left: Index, right: Index) -> Bool { left.text == right.text }

    var text: String {
      "\(name)\(isUnique ? " unique" : "") \(columns.map { "\($0.name)\($0.isDescending ? "-" : "")" })"
    }
  }

  struct Model: Equatable {
    var name: String
    /// The first is the key.
    var properties: [Property]
    var indexes: [Index] = []
    var rows: [Int: [String: Value]] = [:]

    var key: String { properties[0].name }
    var records: [Record] {
      rows.sorted { $0.key < $1.key }.map { row in
        Record(properties.map { (name: $0.name, value: row.value[$0.name] ?? .null) })
      }
    }

    /// All of it as text; the order in which properties came about means nothing.
    func text(_ records: [Record]) -> String {
      EvolvedSchema.text(
        name,
        properties.map {
          "\($0.name) \($0.type.name)\($0.isOptional ? "?" : "") \($0.defaultValue.map { "\($0)" } ?? "-")"
        }, indexes.map(\.text), records)
    }
  }

  var models: [Model] = []
  var version = 0

  /// The text by which states are compared.
  static func text(_ name: String, _ properties: [String], _ indexes: [String], _ records: [Record]) -> String {
    let rows = records.map { record in record.fields.map { "\($0.name)=\($0.value)" }.sorted().joined(separator: " ") }
    return "\(name): \(properties.sorted().joined(separator: ", ")); \(indexes.sorted().joined(separator: ", "))\n  "
      + rows.joined(separator: "\n  ")
  }

  /// All models; the version is told by what raises it.
  var text: String {
    models.sorted { $0.name < $1.name }.map { $0.text($0.records) }.joined(separator: "\n")
  }

  struct Failure: Error {
    var code: StorageError.Code
    init(_ code: StorageError.Code) { self.code = code }
  }

  // MARK: Doing it

  /// Does what it says, or throws and changes nothing.
  ///
  /// - Returns: The answer as text.
  mutating func perform(_ action: EvolutionAction) throws(Failure) -> String {
    var copy = self
    let answer = try copy.doing(action)
    self = copy
    return answer
  }

  private mutating func doing(_ action: EvolutionAction) throws(Failure) -> String {
    switch action {
    case .createModel(let name):
      guard !models.contains(where: { $0.name == name }) else { throw Failure(.schemaMismatch) }
      models.append(Model(name: name, properties: EvolutionAction.firstProperties))
    case .setVersion(let number):
      guard number >= max(1, version) else { throw Failure(.invalidValue) }
      version = number
    case .inModel(let name, let change):
      guard let place = models.firstIndex(where: { $0.name == name }) else { return "no model" }
      if case .drop = change {
        models.remove(at: place)
        break
      }
      if case .rename(let new) = change {
        guard !models.contains(where: { $0.name == new && $0.name != name }) else { throw Failure(.schemaMismatch) }
        models[place].name = new
        break
      }
      return try models[place].perform(change)
    }
    return "done"
  }
}

extension EvolvedSchema.Model {
  fileprivate typealias Failure = EvolvedSchema.Failure

  private func place(_ name: String) -> Int? { properties.firstIndex { $0.name == name } }

  private func isTaken(_ name: String, but own: String? = nil) -> Bool {
    properties.contains { $0.name != own && $0.name.lowercased() == name.lowercased() }
  }

  fileprivate mutating func perform(_ change: EvolutionAction.Change) throws(Failure) -> String {
    switch change {
    case .drop, .rename: return "done"
    case .addProperty(let property):
      guard property.isOptional || property.defaultValue != nil, !isTaken(property.name) else {
        throw Failure(.schemaMismatch)
      }
      properties.append(property)
      for key in rows.keys { rows[key]?[property.name] = property.defaultValue ?? .null }
    case .dropProperty(let name):
      guard let place = place(name), place > 0,
        !indexes.contains(where: { $0.columns.contains { $0.name == name } })
      else { throw Failure(.schemaMismatch) }
      properties.remove(at: place)
      for key in rows.keys { rows[key]?[name] = nil }
    case .renameProperty(let old, let new):
      guard let place = place(old), !isTaken(new, but: old) else { throw Failure(.schemaMismatch) }
      properties[place].name = new
      for key in rows.keys {
        let value = rows[key]?.removeValue(forKey: old)
        rows[key]?[new] = value
      }
      for index in indexes.indices {
        for column in indexes[index].columns.indices where indexes[index].columns[column].name == old {
          indexes[index].columns[column].name = new
        }
      }
    case .changeOptionality(let name, let isOptional):
      guard let place = place(name), place > 0 || !isOptional else { throw Failure(.schemaMismatch) }
      if !isOptional, rows.values.contains(where: { ($0[name] ?? .null).isNull }) { throw Failure(.missingValue) }
      properties[place].isOptional = isOptional
    case .createIndex(let index):
      guard !indexes.contains(where: { $0.name == index.name }) else { throw Failure(.schemaMismatch) }
      indexes.append(index)
      try checkUnique()
    case .dropIndex(let name): indexes.removeAll { $0.name == name }
    case .renameIndex(let old, let new):
      guard !indexes.contains(where: { $0.name == new && $0.name != old }) else { throw Failure(.schemaMismatch) }
      for place in indexes.indices where indexes[place].name == old { indexes[place].name = new }
    case .insert(let records):
      for (key, row) in try self.rows(records) {
        guard rows.updateValue(row, forKey: key) == nil else { throw Failure(.duplicateKey) }
      }
      try checkUnique()
    case .upsert(let records):
      var added = 0
      for (key, row) in try self.rows(records) where rows.updateValue(row, forKey: key) == nil { added += 1 }
      try checkUnique()
      return "\(added)"
    case .assign(let query, let name, let value):
      guard let property = properties.first(where: { $0.name == name }) else { throw Failure(.invalidQuery) }
      if value.isNull, !property.isOptional { throw Failure(.missingValue) }
      let chosen = keys(query)
      for key in chosen { rows[key]?[name] = value }
      try checkUnique()
      return "\(chosen.count)"
    case .delete(let query):
      let chosen = keys(query)
      for key in chosen { rows[key] = nil }
      return "\(chosen.count)"
    case .ask(let query): return "\(keys(query))"
    }
    return "done"
  }

  private func keys(_ query: QueryTree) -> [Int] {
    Reference.rows(query, from: records, key: key).compactMap { $0[key]?.intValue }
  }

  /// Records with what they leave out.
  private func rows(_ records: [[String: Value]]) throws(Failure) -> [(Int, [String: Value])] {
    var rows: [(Int, [String: Value])] = []
    for record in records {
      var row: [String: Value] = [:]
      for property in properties {
        let value = record[property.name] ?? property.defaultValue ?? .null
        if value.isNull, !property.isOptional { throw Failure(.missingValue) }
        row[property.name] = value
      }
      rows.append((row[key]?.intValue ?? 0, row))
    }
    return rows
  }

  private func checkUnique() throws(Failure) {
    for index in indexes where index.isUnique {
      var seen: Set<[Value]> = []
      for row in rows.values {
        let values = index.columns.map { row[$0.name] ?? .null }
        guard !values.contains(where: \.isNull) else { continue }
        guard seen.insert(values).inserted else { throw Failure(.uniqueViolation) }
      }
    }
  }
}

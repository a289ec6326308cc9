import QuarryBackend
import QuarryCore
import QuarryQuery

/// What one step does, by names: to the reference and to a store.
enum EvolutionAction {
  case createModel(String)
  case setVersion(Int)
  case inModel(String, Change)

  enum Change {
    case drop
    case rename(String)
    case addProperty(EvolvedSchema.Property)
    case dropProperty(String)
    case renameProperty(String, String)
    case changeOptionality(String, Bool)
    case createIndex(EvolvedSchema.Index)
    case dropIndex(String)
    case renameIndex(String, String)
    case insert([[String: Value]])
    case upsert([[String: Value]])
    case assign(QueryTree, String, Value)
    case delete(QueryTree)
    case ask(QueryTree)
  }

  static let firstProperties = [
    EvolvedSchema.Property(name: "id", type: .int64), EvolvedSchema.Property(name: "a", type: .string),
    EvolvedSchema.Property(name: "b", type: .int32, isOptional: true),
  ]

  // MARK: From a number

  /// What a number means in a state. Names and values are few, so that they meet.
  init(_ number: UInt64, in state: EvolvedSchema) {
    var random = SeededGenerator(seed: number)
    func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    func pick<T>(_ values: [T]) -> T { values[below(values.count)] }
    let names = ["M", "N", "O"]
    guard !state.models.isEmpty, below(24) > 0 else {
      self = .createModel(pick(names))
      return
    }
    if below(24) == 0 {
      self = .setVersion(below(5))
      return
    }
    let model = pick(state.models)
    func value(_ property: EvolvedSchema.Property) -> Value {
      if property.isOptional, below(4) == 0 { return .null }
      switch property.type {
      case .string: return .string(pick(["", "a", "b", "\u{E9}", "zz", "a\0"]))
      case .double: return .double(pick([-1.5, 0, 0.25, 3, .infinity]))
      case .bool: return .bool(below(2) == 0)
      default: return .int(Int64(below(6) - 2))
      }
    }
    func row() -> [String: Value] {
      var row: [String: Value] = [:]
      // Some things are left out.
      for property in model.properties where property.name == model.key || below(8) > 0 {
        row[property.name] = property.name == model.key ? .int(Int64(below(24))) : value(property)
      }
      return row
    }
    func rows() -> [[String: Value]] { (0..<1 + below(4)).map { _ in row() } }
    func query() -> QueryTree {
      let (property, other) = (pick(model.properties), pick(model.properties))
      var query = QueryTree(model: model.name)
      switch below(4) {
      case 0: break
      case 1: query.predicate = .compare(.named(property.name), pick([.equal, .notEqual]), .value(.null))
      default:
        let constant = value(EvolvedSchema.Property(name: "", type: property.type))
        query.predicate = .compare(.named(property.name), pick(Comparison.allCases), .value(constant))
      }
      if below(2) == 0 { query.order = [.init(other.name, isDescending: below(2) == 0)] }
      return query
    }
    func newName() -> String { pick(["a", "b", "c", "d", "e", "f", "A", "C"]) }
    func property() -> EvolvedSchema.Property { pick(model.properties) }
    let change: Change
    switch below(30) {
    case 0...1:
      var property = EvolvedSchema.Property(name: newName(), type: pick([.string, .int64, .double, .bool, .int16]))
      property.isOptional = below(2) == 0
      if below(4) > 0 {
        property.defaultValue = value(EvolvedSchema.Property(name: "", type: property.type))
      }
      change = .addProperty(property)
    case 2...3: change = .dropProperty(property().name)
    case 4...5: change = .renameProperty(property().name, newName())
    case 6...7:
      let property = property()
      change = .changeOptionality(property.name, below(6) == 0 ? property.isOptional : !property.isOptional)
    case 8...10:
      var columns: [(name: String, isDescending: Bool)] = [(property().name, below(3) == 0)]
      let second = property().name
      if below(2) == 0, second != columns[0].name { columns.append((second, below(3) == 0)) }
      change = .createIndex(.init(name: pick(["i", "j", "k"]), columns: columns, isUnique: below(3) == 0))
    case 11: change = model.indexes.isEmpty ? .ask(query()) : .dropIndex(pick(model.indexes).name)
    case 12: change = model.indexes.isEmpty ? .ask(query()) : .renameIndex(pick(model.indexes).name, pick(["i", "l"]))
    case 13: change = .rename(pick(names))
    case 14: change = below(4) == 0 ? .drop : .ask(query())
    case 15...19: change = .insert(rows())
    case 20...22: change = .upsert(rows())
    case 23...24:
      let property = pick(Array(model.properties.dropFirst()) + (model.properties.count == 1 ? model.properties : []))
      change = property.name == model.key ? .ask(query()) : .assign(query(), property.name, value(property))
    case 25: change = .delete(query())
    default: change = .ask(query())
    }
    self = .inModel(model.name, change)
  }

  // MARK: On a store

  /// Does it in a transaction, and says what it gave in the words of the reference.
  func run(_ tx: ReadTransaction) throws -> String {
    func write() throws -> WriteTransaction { try unwrap(tx as? WriteTransaction, "a write transaction") }
    switch self {
    case .createModel(let name):
      let properties = Self.firstProperties.map(Self.schema)
      try write().apply(.createModel(ModelSchema(name: name, properties: properties, primaryKey: 0)))
    case .setVersion(let number): try write().apply(.setProgramVersion(number))
    case .inModel(let name, let change):
      guard let model = try tx.models().first(where: { $0.name == name }) else { return "no model" }
      return try Self.run(change, model, write())
    }
    return "done"
  }

  private static func schema(_ property: EvolvedSchema.Property) -> PropertySchema {
    PropertySchema(
      name: property.name, type: property.type, isOptional: property.isOptional, defaultValue: property.defaultValue)
  }

  private static func run(_ change: Change, _ model: ModelSchema, _ tx: WriteTransaction) throws -> String {
    func slot(_ name: String) throws -> Int { try unwrap(model.slot(named: name), "the slot of \(name)") }
    func index(_ name: String) throws -> UInt32 {
      try unwrap(model.indexes.first { $0.name == name }?.id, "the index \(name)")
    }
    func records(_ rows: [[String: Value]]) -> [Record] {
      rows.map { row in Record(row.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }) }
    }
    switch change {
    case .drop: try tx.apply(.dropModel(model.id))
    case .rename(let name): try tx.apply(.renameModel(model.id, to: name))
    case .addProperty(let property): try tx.apply(.addProperty(model.id, schema(property)))
    case .dropProperty(let name): try tx.apply(.dropProperty(model.id, slot: slot(name)))
    case .renameProperty(let old, let new): try tx.apply(.renameProperty(model.id, slot: slot(old), to: new))
    case .changeOptionality(let name, let isOptional):
      try tx.apply(.changeOptionality(model.id, slot: slot(name), isOptional: isOptional))
    case .createIndex(let new):
      let columns = try new.columns.map { IndexSchema.Column(slot: try slot($0.name), isDescending: $0.isDescending) }
      try tx.apply(.createIndex(model.id, IndexSchema(name: new.name, columns: columns, isUnique: new.isUnique)))
    case .dropIndex(let name): try tx.apply(.dropIndex(model.id, index: index(name)))
    case .renameIndex(let old, let new): try tx.apply(.renameIndex(model.id, index: index(old), to: new))
    case .insert(let rows): try tx.records.insert(into: model.name, records(rows))
    case .upsert(let rows): return "\(try tx.records.upsert(into: model.name, records(rows)))"
    case .assign(let query, let name, let value):
      return "\(try tx.records.assign(query, [AssignmentTree(name, .set, value)]))"
    case .delete(let query): return "\(try tx.records.delete(query))"
    case .ask(let query):
      let found = try tx.records.fetch(query).compactMap { $0[model.keyProperty.name]?.intValue }
      guard try tx.records.count(query) == found.count else { return "\(found), and counts otherwise" }
      return "\(found)"
    }
    return "done"
  }
}

public import QuarryBackend
import QuarryQuery

/// The argument of a migration's body: the store as it is, and the calls that request its changes.
///
/// Names are changed at once. All other changes are recorded, and made after the body: the objects of a model are read once,
/// however many changes are requested. Closures see the objects as they were stored, under the names that models and properties
/// have by then. The new objects have the program's models. The migration's closures must not use a store. After the migration, a
/// call of the context throws `transactionEnded`.
public final class MigrationContext {
  /// The version that the store had, or that the stage of a plan begins with; 0 for a store without one.
  public let storedVersion: Int
  let writer: any BackendWriteTransaction
  let program: [ByteString: ModelSchema]
  let misuse = MigrationMisuse()
  private var phase = Phase.asking

  enum Phase {
    /// The body runs.
    case asking
    /// Rows are being rewritten.
    case rewriting
    /// A row is being read or written by code of the program's.
    case coding
    case ended
  }

  /// Properties and models that the program drops: `Book.subtitle`, `Draft`.
  private(set) var drops: [String]
  /// The passes over the rows of stored models, in the order in which the models were first named.
  private(set) var passes: [Pass] = []
  private(set) var followers: [(WriteTransaction) throws -> Void] = []
  /// Stores a record, or an object, in the new state: set while rows are rewritten.
  var inserter: Inserter?

  /// All that is done with the rows of a stored model in one reading.
  struct Pass {
    /// The model as the body saw it; nil for what reads no rows.
    var source: ModelSchema?
    /// The name of the program's model that the new rows are of; nil for none.
    var target: ByteString?
    var steps: [Step]
  }

  enum Step {
    case convert(property: String, (Value) throws -> Value)
    case enumerate((OldObject, inout NewObject) throws -> Void)
    case visit((OldObject) throws -> Void)
    case transform(any ObjectTransform)
    /// Objects that the body itself stores.
    case insert((Inserter) throws -> Void)
  }

  init(
    storedVersion: Int, _ writer: any BackendWriteTransaction, _ program: [ModelSchema], drops: [String]
  ) {
    self.storedVersion = storedVersion
    self.writer = writer
    self.program = Dictionary(program.map { (ByteString($0.name), $0) }, uniquingKeysWith: { first, _ in first })
    self.drops = drops
  }

  func begin(_ phase: Phase) { self.phase = phase }

  /// The models that are stored, under the names that they have by now.
  public var models: [ModelSchema] {
    get throws(StorageError) {
      try check()
      return writer.schema.programModels
    }
  }

  /// The number of objects that a stored model has.
  ///
  /// - Parameter model: The name of the model, as it is by now.
  /// - Throws: `invalidQuery` for a model that is not stored. `reentrant` in code that reads or writes a row, and
  ///   `transactionEnded` after the migration.
  public func count(_ model: String) throws -> Int {
    try check()
    return try writer.count(BoundQuery(everyRowOf: try stored(model)))
  }

  // MARK: Names

  /// Renames a property. Its values, indexes and default stay, and the name by which it travels.
  ///
  /// - Parameters:
  ///   - property: The old name.
  ///   - name: The new name.
  ///   - model: The name of the model.
  /// - Throws: `invalidQuery` for a model or property that is not stored, `schemaMismatch` for a name that is taken. `reentrant`
  ///   in a closure of the migration, and `transactionEnded` after it.
  public func rename(_ property: String, to name: String, in model: String) throws {
    try checkAsking()
    let model = try stored(model)
    guard let slot = model.slot(named: property) else { throw MigrationMisuse.unknown(property, model) }
    try SequenceTable.apply(.renameProperty(model.id, slot: slot, to: name), writer)
  }

  /// Renames a model. Its objects and indexes stay, and the name by which it travels.
  ///
  /// - Parameters:
  ///   - model: The old name.
  ///   - name: The new name.
  /// - Throws: `invalidQuery` for a model that is not stored, `schemaMismatch` for a name that is taken. `reentrant` in a closure
  ///   of the migration, and `transactionEnded` after it.
  public func rename(_ model: String, to name: String) throws {
    try checkAsking()
    try SequenceTable.apply(.renameModel(stored(model).id, to: name), writer)
  }

  // MARK: Dropping

  /// Drops a property that the program does not have.
  ///
  /// - Parameters:
  ///   - property: The name of the property.
  ///   - model: The name of the model.
  /// - Throws: `invalidQuery` for a model or property that is not stored, `schemaMismatch` for a property that the program still
  ///   has. `reentrant` in a closure of the migration, and `transactionEnded` after it.
  public func drop(_ property: String, in model: String) throws {
    try checkAsking()
    let model = try stored(model)
    guard model.slot(named: property) != nil else { throw MigrationMisuse.unknown(property, model) }
    if program[ByteString(model.name)]?.slot(named: property) != nil {
      throw StorageError(
        .schemaMismatch, "the property to drop is still in the program", model: model.name, property: property)
    }
    drops.append("\(model.name).\(property)")
  }

  /// Drops a model that the program does not have, after its objects were read.
  ///
  /// - Parameter model: The name of the model.
  /// - Throws: `invalidQuery` for a model that is not stored. `reentrant` in a closure of the migration, and `transactionEnded`
  ///   after it.
  public func drop(_ model: String) throws {
    try checkAsking()
    drops.append(try stored(model).name)
  }

  // MARK: Rewriting

  /// Converts the values of a property, which keeps its name. Conversions of one property follow each other.
  ///
  /// - Parameters:
  ///   - property: The name of the property.
  ///   - model: The name of the model.
  ///   - type: The type of the new values.
  ///   - body: Converts an old value to a new one; nil for no value.
  /// - Throws: `invalidQuery` for a model or property that does not exist. The migration ends with `missingValue` when the body
  ///   returns nil for a property that is required. It ends with `invalidValue` when the body throws. The error has the keys of
  ///   the first ten such objects.
  public func convert<Old: Storable, New: Storable>(
    _ property: String, in model: String, _ type: New.Type = New.self, _ body: @escaping (Old?) throws -> New?
  ) throws(StorageError) {
    try convert(values: property, in: model) { value in
      let old = value.isNull ? nil : try Old(storedValue: value)
      return try body(old)?.storedValue() ?? .null
    }
  }

  /// As ``convert(_:in:_:_:)``, with values of any type: what the body gives is brought to the property's type where that is
  /// exact.
  package func convert(
    values property: String, in model: String, _ body: @escaping (Value) throws -> Value
  ) throws(StorageError) {
    try checkAsking()
    let (source, target) = try rewritten(model)
    guard source.slot(named: property) != nil else { throw MigrationMisuse.unknown(property, source) }
    guard target.slot(named: property) != nil else { throw MigrationMisuse.unknown(property, target) }
    try add(.convert(property: property, body), to: source, into: model)
  }

  /// Rewrites every object of a model: calls the closure with each stored object and with the object that takes its place.
  ///
  /// Closures of one model are called one after the other for each object, in the order of primary keys.
  ///
  /// - Parameters:
  ///   - model: The name of the stored model.
  ///   - target: The program's model of the new objects: the same when nil. In another model they are added to its objects, and
  ///     the old ones stay until their model is dropped.
  ///   - body: The closure, whose error ends the migration.
  /// - Throws: `invalidQuery` for a model that is not stored, or one that the program does not have. The migration ends with
  ///   `missingValue` where a new object lacks a required value, with the keys of the first ten.
  public func enumerate(
    _ model: String, into target: String? = nil, _ body: @escaping (OldObject, inout NewObject) throws -> Void
  ) throws(StorageError) {
    try checkAsking()
    let (source, _) = try rewritten(model, into: target)
    try add(.enumerate(body), to: source, into: target ?? model)
  }

  /// Reads every object of a stored model, in the order of primary keys, after the body of the migration.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - body: Called with each object. Its error ends the migration.
  /// - Throws: `invalidQuery` for a model that is not stored. `reentrant` in a closure of the migration, and `transactionEnded`
  ///   after it.
  /// - Complexity: One read of the rows, which all steps of the model share.
  public func forEach(_ model: String, _ body: @escaping (OldObject) throws -> Void) throws {
    try checkAsking()
    try add(.visit(body), to: try stored(model), into: nil)
  }

  /// Rewrites every object of a model, with the types of two versions.
  ///
  /// - Parameters:
  ///   - old: A type with the model's properties as they are stored.
  ///   - new: A type with the properties that the program has; of the same model or another.
  ///   - body: Returns the object to store, or nil for none. Its error ends the migration.
  /// - Throws: `invalidQuery` for a model that is not stored, or one that the program does not have; `schemaMismatch` where a
  ///   type has other properties.
  public func transform<Old: Model, New: Model>(
    _ old: Old.Type, to new: New.Type, _ body: @escaping (Old) throws -> New?
  ) throws(StorageError) {
    try checkAsking()
    let name = Old.modelDefinition.name
    let (source, target) = try rewritten(name, into: New.modelDefinition.name)
    try add(.transform(try TypedTransform(source, body)), to: source, into: target.name)
  }

  /// Stores an object of a model of the program, in the body of the migration or in a closure of it.
  ///
  /// - Parameters:
  ///   - model: The name of a model of the program.
  ///   - record: The values of its properties, as in ``Records/insert(into:_:)``.
  /// - Throws: `duplicateKey`, `invalidQuery`, and the errors of storing; for a call in the body, when the rows are stored.
  ///   `reentrant` in code that reads or writes a row, and `transactionEnded` after the migration.
  public func insert(into model: String, _ record: Record) throws {
    try insert { inserter throws(StorageError) in try inserter.insert(record, into: model) }
  }

  /// Stores an object of a model of the program, in the body of the migration or in a closure of it.
  ///
  /// - Parameter object: An object of a model of the program.
  /// - Throws: As ``insert(into:_:)``.
  public func insert<M: Model>(_ object: M) throws {
    try insert { inserter throws(StorageError) in try inserter.insert(object) }
  }

  private func insert(_ body: @escaping (Inserter) throws(StorageError) -> Void) throws(StorageError) {
    try check()
    guard let inserter else {
      passes.append(Pass(source: nil, target: nil, steps: [.insert(body)]))
      return
    }
    try body(inserter)
  }

  /// Calls the body at the end, with the program's models and in the same transaction.
  ///
  /// - Parameter body: The closure, whose error ends the migration.
  /// - Throws: `reentrant` in a closure of the migration, and `transactionEnded` after it.
  public func afterwards(_ body: @escaping (WriteTransaction) throws -> Void) throws {
    try checkAsking()
    followers.append(body)
  }

  // MARK: Checks

  private func check() throws(StorageError) {
    switch phase {
    case .asking, .rewriting: return
    case .coding:
      throw StorageError(.reentrant, "code that reads or writes a row cannot call the migration")
    case .ended: throw StorageError(.transactionEnded, "the migration has ended")
    }
  }

  func checkAsking() throws(StorageError) {
    try check()
    guard phase == .asking else {
      throw StorageError(.reentrant, "only the body of the migration can make this call, not a closure in it")
    }
  }

  func stored(_ name: String) throws(StorageError) -> ModelSchema {
    let schema = writer.schema
    if let model = schema.model(named: name) { return model }
    let hint = NearestName.suggestion(for: name, among: schema.models.map(\.name))
    throw StorageError(.invalidQuery, "the store has no model \(name)\(hint)", model: name)
  }

  private func rewritten(
    _ name: String, into target: String? = nil
  ) throws(StorageError) -> (stored: ModelSchema, program: ModelSchema) {
    let source = try stored(name)
    let target = target ?? name
    guard let model = program[ByteString(target)] else {
      let hint = NearestName.suggestion(for: target, among: program.values.map(\.name).sorted())
      throw StorageError(.invalidQuery, "the program has no model \(target)\(hint)", model: target)
    }
    return (source, model)
  }

  private func add(_ step: Step, to source: ModelSchema, into target: String?) throws(StorageError) {
    let target = target.map { ByteString($0) }
    let place = passes.firstIndex { $0.source?.id == source.id && $0.target == target }
    guard let place else {
      passes.append(Pass(source: source, target: target, steps: [step]))
      return
    }
    if step.isTyped || passes[place].steps.contains(where: \.isTyped) {
      throw StorageError(
        .invalidQuery,
        "another step of the migration already creates the objects: one transformation creates each object",
        model: source.name)
    }
    passes[place].steps.append(step)
  }
}

extension MigrationContext.Step {
  fileprivate var isTyped: Bool {
    if case .transform = self { return true }
    return false
  }
}

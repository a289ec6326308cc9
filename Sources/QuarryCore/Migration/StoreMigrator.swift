import Foundation
import QuarryBackend
import QuarryQuery

/// Brings a store to a program's models, inside a write transaction that the caller commits or rolls back.
final class StoreMigrator {
  let writer: any BackendWriteTransaction
  private let manifest: BackendManifest
  let progress: Progress?
  /// The actions taken, a sentence for each.
  var changeDescriptions: [String] { steps.map(\.text) }
  var steps: [MigrationReport.Step] = []
  var losses: [MigrationReport.Loss] = []
  var failures: [MigrationReport.Failure] = []
  /// Whether all rows are checked, and all failures and losses counted: for a rehearsal.
  let isRehearsal: Bool

  init(
    _ writer: any BackendWriteTransaction, _ manifest: BackendManifest, progress: Progress? = nil,
    isRehearsal: Bool = false
  ) {
    self.writer = writer
    self.manifest = manifest
    self.progress = progress
    self.isRehearsal = isRehearsal
  }

  /// The parameters of one step from a version to the next.
  struct Stage {
    var definitions: [AnyModelDefinition]
    var program: [ProgramModel]
    /// The version that the store has before; 0 for none.
    var storedVersion: Int
    /// The version that it has afterwards; nil to leave it.
    var version: Int?
    var drops: [String] = []
    var body: ((MigrationContext) throws -> Void)?
  }

  /// - Parameter transaction: Creates the transaction for the code that runs afterwards.
  /// - Throws: The errors of the stage's body and closures; `schemaMismatch` for what would be lost, and the other errors that
  ///   ``Migration`` lists. The transaction can then only be rolled back.
  func run(_ stage: Stage, _ transaction: (Schema) throws -> WriteTransaction) throws {
    let context = MigrationContext(
      storedVersion: stage.storedVersion, writer, stage.program.map(\.schema), drops: stage.drops)
    defer { context.begin(.ended) }
    let before = writer.schema
    try stage.body?(context)
    if stage.body != nil { tellRenames(before, writer.schema) }
    for change in try ProgramModel.renames(of: stage.program, in: writer.schema) { try apply(change) }

    let passes = try passes(of: context)
    let comparison = SchemaComparison(
      stored: writer.schema, code: stage.program.map(\.schema), allowing: allowance(context, passes))
    guard comparison.losses.isEmpty else { throw comparison.refusal }
    try countLosses(comparison)
    try carryOut(comparison, passes, context)
    if let version = stage.version, version != writer.schema.programVersion ?? 0 {
      try apply(.setProgramVersion(version))
    }
    // Passes store rows of their own.
    if comparison.concernsReferences || !passes.isEmpty, let references = ReferenceMap(writer.schema) {
      try references.checkAll(in: writer)
    }
    guard !context.followers.isEmpty else { return }
    // The writes that follow use one transaction like any other.
    let transaction = try transaction(writer.schema)
    defer { transaction.phase = .ended }
    try TransactionFrame.with(ObjectIdentifier(transaction.context), transaction) {
      for body in context.followers { try body(transaction) }
    }
    try transaction.check()
    try transaction.storeSequences()
  }

  // MARK: Pending work

  /// A pass with the models as they are called now.
  struct Pass {
    var source: ModelSchema?
    var named: ModelSchema?
    var target: ByteString?
    var steps: [MigrationContext.Step]

    /// Whether the new rows take the place of the old ones.
    var isOfOneModel: Bool { source.map { ByteString($0.name) == target } ?? false }
  }

  private func passes(of context: MigrationContext) throws(StorageError) -> [Pass] {
    var passes: [Pass] = []
    for pass in context.passes {
      guard let named = pass.source else {
        passes.append(Pass(steps: pass.steps))
        continue
      }
      guard let source = writer.schema.model(id: named.id) else {
        throw StorageError(.schemaMismatch, "the store no longer has this model", model: named.name)
      }
      passes.append(Pass(source: source, named: named, target: pass.target, steps: pass.steps))
    }
    return passes
  }

  private func allowance(_ context: MigrationContext, _ passes: [Pass]) -> SchemaComparison.Allowance {
    var allowance = SchemaComparison.Allowance(drops: context.drops)
    for pass in passes where pass.isOfOneModel {
      guard let target = pass.target else { continue }
      for step in pass.steps {
        switch step {
        case .convert(let property, _): allowance.converted[target, default: []].insert(ByteString(property))
        case .enumerate, .transform: allowance.rewritten.insert(target)
        case .visit, .insert: break
        }
      }
    }
    return allowance
  }

  // MARK: Doing it

  private func apply(_ change: SchemaChange) throws(StorageError) {
    try change.requireOfProgram()
    tell(change.describe(writer.schema))
    try manifest.require(change.capability)
    try SequenceTable.apply(change, writer)
  }

  private func tellRenames(_ before: Schema, _ after: Schema) {
    for model in after.models {
      guard let old = before.model(id: model.id) else { continue }
      if ByteString(old.name) != ByteString(model.name) { tell("the model \(old.name) was renamed to \(model.name)") }
      for (slot, property) in model.properties.enumerated()
      where ByteString(old.properties[slot].name) != ByteString(property.name) {
        tell("the property \(old.properties[slot].name) of \(model.name) was renamed to \(property.name)")
      }
    }
  }

  private func tell(_ sentence: String) { steps.append(MigrationReport.Step(sentence)) }

  private func carryOut(
    _ comparison: SchemaComparison, _ passes: [Pass], _ context: MigrationContext
  ) throws {
    // Indexes last: creating them over existing rows is quickest.
    let sources = Set(passes.compactMap { $0.source?.id })
    // Properties of models that closures read are dropped after the closures have run.
    func comesLater(_ change: SchemaChange) -> Bool {
      if case .dropProperty(let id, _) = change { return sources.contains(id) }
      return false
    }
    for change in comparison.changes where !change.makesIndex && !comesLater(change) { try apply(change) }
    /// The models that are created next to the stored ones, by their names in the program.
    var made: [ByteString: ModelID] = [:]
    let rekeyed = comparison.rekeyed
    for rebuild in comparison.rebuilds { try separate(rebuild.stored, from: rekeyed) }
    for rebuild in comparison.rebuilds { made[ByteString(rebuild.code.name)] = try makeBeside(rebuild, rekeyed) }
    let inserter = Inserter(writer, WriteLimits(manifest), made)
    for rebuild in comparison.rebuilds {
      if let id = made[ByteString(rebuild.code.name)] { try inserter.keys.inherit(id, from: rebuild.stored) }
    }
    context.inserter = inserter
    context.begin(.rewriting)
    // Models that are rewritten without a request about their rows come first.
    let told = Set(passes.filter(\.isOfOneModel).compactMap(\.target))
    let untold = comparison.rebuilds.filter { !told.contains(ByteString($0.code.name)) }.map {
      Pass(source: $0.stored, named: $0.stored, target: ByteString($0.code.name), steps: [])
    }
    let passes = untold + passes
    try startProgress(passes)
    for pass in passes {
      if pass.source == nil {
        for case .insert(let body) in pass.steps { try body(inserter) }
      } else {
        try read(pass, inserter, context)
      }
    }
    try inserter.finish()
    context.inserter = nil
    for rebuild in comparison.rebuilds {
      try SequenceTable.apply(.dropModel(rebuild.stored.id), writer)
      if let id = made[ByteString(rebuild.code.name)] { try writer.apply(.renameModel(id, to: rebuild.code.name)) }
    }
    for rebuild in comparison.rebuilds {
      guard let id = made[ByteString(rebuild.code.name)] else { continue }
      for (slot, reference) in rebuild.code.references(to: rekeyed) {
        try writer.apply(.changeReference(id, slot: slot, reference))
      }
    }
    for model in comparison.dropped { try apply(.dropModel(model.id)) }
    for change in comparison.changes where comesLater(change) { try apply(change) }
    for change in comparison.changes where change.makesIndex { try apply(change) }
    for rebuild in comparison.rebuilds {
      guard let model = writer.schema.model(named: rebuild.code.name) else { continue }
      for index in rebuild.code.indexes { try apply(.createIndex(model.id, index)) }
    }
    if let error = failures.first?.error, isRehearsal { throw error }
  }

  /// Takes from a stored model the references to models whose primary keys get another type: for a while the store has keys
  /// of both types.
  private func separate(_ stored: ModelSchema, from rekeyed: Set<ByteString>) throws(StorageError) {
    for (slot, _) in stored.references(to: rekeyed) {
      try writer.apply(.changeReference(stored.id, slot: slot, nil))
    }
  }

  /// Creates the program's model next to the stored one, under a name that nothing else has. It has no indexes yet, and no
  /// references to models whose primary keys get another type.
  private func makeBeside(
    _ rebuild: SchemaComparison.Rebuild, _ rekeyed: Set<ByteString>
  ) throws(StorageError) -> ModelID? {
    var model = rebuild.code
    model.keepTravelNames(of: rebuild.stored)
    model.indexes = []
    for (slot, _) in model.references(to: rekeyed) { model.properties[slot].reference = nil }
    model.name = "new_\(rebuild.stored.id)"
    while writer.schema.models.contains(where: { $0.name.lowercased() == model.name }) { model.name += "_" }
    try SequenceTable.apply(.createModel(model), writer)
    return writer.schema.model(named: model.name)?.id
  }
}

extension ModelSchema {
  /// The references to some models, with their slots.
  fileprivate func references(to models: Set<ByteString>) -> [(slot: Int, reference: PropertySchema.Reference)] {
    liveSlots.compactMap { slot in
      guard let reference = properties[slot].reference, models.contains(ByteString(reference.model)) else { return nil }
      return (slot, reference)
    }
  }
}

extension SchemaChange {
  fileprivate var makesIndex: Bool {
    if case .createIndex = self { return true }
    return false
  }
}

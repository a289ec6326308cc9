public import QuarryBackend
import QuarryQuery

/// A model of the program bound to its schema in one store: which slot each property has.
@usableFromInline
final class ModelBinding: @unchecked Sendable {
  // Unchecked for `slots` alone: a table that is written in the init, read only after it, and freed with the object.

  @usableFromInline let model: ModelID
  @usableFromInline let name: String
  @usableFromInline let schema: ModelSchema
  @usableFromInline let layout: RowLayout
  /// The slot of each property of the definition, by its place there; then the slot of the primary key.
  @usableFromInline let slots: UnsafePointer<RowLayout.Slot>
  @usableFromInline let slotCount: Int
  /// Binds the model's queries.
  let binder: QueryBinder
  /// The other sides of references.
  let relations: [StoredRelation]
  /// Whether a condition of a query can lead to other objects, or to an index of words.
  let leadsOn: Bool
  /// The primary key, where the store gives it to objects that have none.
  let generatedKey: GeneratedKey?
  /// Whether each object is checked by its own rules before it is written: ``Validated``.
  @usableFromInline let isValidated: Bool
  /// Checks the object of a row; nil where the model is not ``Validated``.
  let rowValidator: (@Sendable (ModelReader) throws(StorageError) -> Void)?
  /// What the program says of sync.
  let syncDeclaration: SyncDeclaration
  /// The slots with nested values that may lack members which the program reads as their defaults.
  let incomplete: [(slot: Int, form: NestedForm)]

  init(_ definition: AnyModelDefinition, _ schema: ModelSchema) throws(StorageError) {
    model = schema.id
    name = schema.name
    self.schema = schema
    relations = definition.relations
    syncDeclaration = definition.syncDeclaration
    rowValidator = definition.rowValidator
    isValidated = rowValidator != nil
    generatedKey = GeneratedKey(schema)
    leadsOn = !relations.isEmpty || schema.properties.contains { $0.reference != nil || $0.search != nil }
    layout = RowLayout(schema)
    var forms: [Int: NestedForm] = [:]
    var bound: [RowLayout.Slot] = []
    for property in definition.properties {
      guard let slot = schema.slot(named: property.name) else {
        throw StorageError(
          .schemaMismatch, "the store has no property \(property.name)", model: schema.name, property: property.name)
      }
      bound.append(layout.slots[slot])
      if let form = property.form {
        do throws(StorageError) {
          try form.reference?.shape.check()
        } catch {
          throw error.with(model: schema.name, property: property.name)
        }
        forms[slot] = form
      }
    }
    binder = QueryBinder(schema, forms: forms)
    incomplete = forms.filter { $0.value.hasDefaults }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    slotCount = bound.count
    bound.append(layout.keySlot)
    let table = UnsafeMutablePointer<RowLayout.Slot>.allocate(capacity: bound.count)
    table.initialize(from: bound, count: bound.count)
    slots = UnsafePointer(table)
  }

  var keySlot: UnsafePointer<RowLayout.Slot> { slots + slotCount }

  /// Whether the model is as it was when it was bound, but for its indexes, those of words included, and delete rules: nothing
  /// that is bound here knows of them.
  func holds(in schema: Schema) -> Bool {
    guard var model = schema.model(id: model) else { return false }
    model.indexes = self.schema.indexes
    // Delete rules are not bound here.
    for slot in model.properties.indices where slot < self.schema.properties.count {
      model.properties[slot].search = self.schema.properties[slot].search
      guard let bound = self.schema.properties[slot].reference else { continue }
      model.properties[slot].reference?.deleteRule = bound.deleteRule
    }
    return model == self.schema
  }

  deinit {
    UnsafeMutablePointer(mutating: slots).deallocate()
  }
}

extension ModelBinding {
  /// Throws `missingValue` for a row that lacks a required value: a `write(to:)` by hand omitted a property.
  func checkComplete(_ row: RowView) throws(StorageError) {
    guard row.hasForbiddenNull(layout) else { return }
    for index in 0..<slotCount where !slots[index].isOptional && row.isNull(slots[index]) {
      throw about(index, StorageError(.missingValue, "write(to:) did not set the property, which is not optional"))
    }
  }

  @usableFromInline
  func misuse(_ index: Int, _ type: Any.Type) -> StorageError {
    StorageError(
      .schemaMismatch, "property number \(index) is read or written as \(type), which is not its type", model: name)
  }

  /// The error with the property's name.
  @usableFromInline
  func about(_ index: Int, _ error: StorageError) -> StorageError {
    error.with(model: name, property: schema.properties[Int(slots[index].index)].name)
  }
}

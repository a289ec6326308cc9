/// The models that Quarry stores for itself.
///
/// Their names begin with `_quarry`, which no name of a user does (contract SCH-3), and each is known by its whole
/// declaration.
package enum InternalModel {
  /// The mark of a store that is not whole: what is being brought there, from where, and how far that came. It has one
  /// object, and goes with the transaction that makes the store whole.
  package static let unfinished = ModelSchema(
    name: "_quarry_unfinished",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "work", type: .string),
      PropertySchema(name: "source", type: .string), PropertySchema(name: "models", type: .int64),
      PropertySchema(name: "rows", type: .int64), PropertySchema(name: "sum", type: .string),
    ], primaryKey: 0)

  /// The sequences of generated keys: for each model, by its number, the greatest number that was given as a key.
  package static let sequences = ModelSchema(
    name: "_quarry_sequences",
    properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "last", type: .uint64)], primaryKey: 0)

  fileprivate static let all = [unfinished, sequences]
}

extension ModelSchema {
  /// Whether the model is one that Quarry stores for itself.
  package var isInternal: Bool {
    InternalModel.all.contains { isSame(as: $0) }
  }

  /// Whether it is the mark of an unfinished store.
  package var isMarkOfUnfinished: Bool { isSame(as: InternalModel.unfinished) }

  /// Whether it is the given model of Quarry's own.
  package func isSame(as own: ModelSchema) -> Bool {
    name.utf8.elementsEqual(own.name.utf8) && properties == own.properties && primaryKey == own.primaryKey
      && indexes.isEmpty && keyGeneration == nil
  }
}

extension Schema {
  /// The models of programs: all that Quarry does not store for itself.
  package var programModels: [ModelSchema] { models.filter { !$0.isInternal } }
}

extension SchemaChange {
  /// Checks a change that a program asks for: it makes no model that Quarry keeps for itself.
  ///
  /// - Throws: `schemaMismatch`.
  package func requireOfProgram() throws(StorageError) {
    guard case .createModel(let model) = self, model.isInternal else { return }
    try SchemaNames.validate(model.name, of: "model")
  }
}

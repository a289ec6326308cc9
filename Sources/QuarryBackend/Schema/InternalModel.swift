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

  fileprivate static let all = [unfinished]
}

extension ModelSchema {
  /// Whether the model is one that Quarry stores for itself.
  package var isInternal: Bool {
    InternalModel.all.contains { own in
      name.utf8.elementsEqual(own.name.utf8) && properties == own.properties && primaryKey == own.primaryKey
        && indexes.isEmpty
    }
  }
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

import QuarryBackend

/// The history of a store that was filled by a copy or a restore.
enum HistoryMove {
  /// Notes that the models of the store have other numbers than those that the log knows. The log then goes on.
  static func end(in writer: any BackendWriteTransaction) throws(StorageError) {
    guard let models = HistoryModels(writer.schema) else { return }
    var state = try HistoryState(models, writer)
    let schemas = try HistorySchemas(models, writer)
    state.leftOut = Set(state.leftOut.compactMap { schemas.route(of: $0, toCopy: writer.schema) })
    try state.note(writer.schema, byNames: true, models, writer)
    try state.write(models, writer)
  }
}

extension HistorySchemas {
  /// The number that a model of the last schema has in a copy.
  fileprivate func route(of id: ModelID, toCopy schema: Schema) -> ModelID? {
    lastSchema?.model(id: id).flatMap { schema.model(named: $0.name) }?.id
  }
}

extension HistoryOption {
  /// The option by which a store keeps its history; nil where it keeps none.
  ///
  /// - Parameter names: The models of the store to come, of which those stay out that are left out now.
  init?(of backend: any Backend, among names: [String]) throws(StorageError) {
    let transaction = try backend.beginRead()
    defer { transaction.end() }
    let schema = transaction.schema
    guard let models = HistoryModels(schema) else { return nil }
    let state = try HistoryState(models, transaction)
    let leftOut = state.leftOut.compactMap { schema.model(id: $0)?.name }.filter { names.contains($0) }.sorted()
    let age: HistoryAge = state.keepsSeconds == 0 ? .forever : .seconds(Int(clamping: state.keepsSeconds))
    self = .on(keeping: age, bytes: Int(clamping: state.keepsBytes), leavingOut: leftOut)
  }
}

import QuarryBackend

/// The searched models of a schema.
struct SearchMap {
  let version: UInt64
  private(set) var models: [ModelID: SearchedModel] = [:]
  /// The models of the indexes.
  private(set) var subjects: [ModelID: ModelID] = [:]

  init(_ schema: Schema) {
    version = schema.version
    for model in schema.models {
      guard let searched = SearchedModel(model, in: schema) else { continue }
      models[model.id] = searched
      if let index = searched.index { subjects[index.id] = model.id }
    }
  }
}

extension SearchedModel {
  /// Whether the texts may change when these slots do.
  func isChanged(by changed: [Int]) -> Bool { changed.contains { slots.contains($0) } }
}

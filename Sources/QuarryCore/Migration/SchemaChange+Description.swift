import QuarryBackend

extension SchemaChange {
  /// Whether it changes nothing but an index, also one of words.
  package var isOfIndex: Bool {
    switch self {
    case .createIndex, .dropIndex, .renameIndex, .changeSearch: true
    default: false
    }
  }

  /// Whether it changes nothing but the name by which something travels.
  var isOfSyncName: Bool {
    if case .changeSyncName = self { return true }
    return false
  }

  /// The description of the schema change in words.
  package func describe(_ schema: Schema) -> String {
    let model = schema.model(id: model)
    let name = model?.name ?? "?"
    func property(_ slot: Int) -> String {
      model?.properties.indices.contains(slot) == true ? model?.properties[slot].name ?? "?" : "?"
    }
    func index(_ id: UInt32) -> String { model?.indexes.first { $0.id == id }?.name ?? "?" }
    return switch self {
    case .createModel(let model): "the model \(model.name) was added"
    case .dropModel: "the model \(name) was removed"
    case .renameModel(_, let new): "the model \(name) was renamed to \(new)"
    case .addProperty(_, let property): "the property \(property.name) of \(name) was added"
    case .renameProperty(_, let slot, let new): "the property \(property(slot)) of \(name) was renamed to \(new)"
    case .dropProperty(_, let slot): "the property \(property(slot)) of \(name) was removed"
    case .changeOptionality(_, let slot, true): "the property \(property(slot)) of \(name) was made optional"
    case .changeOptionality(_, let slot, false):
      "the property \(property(slot)) of \(name) was made non-optional"
    case .changeReference(_, let slot, let reference?):
      "the property \(property(slot)) of \(name) refers to \(reference.model), \(reference.deleteRule.rawValue)"
    case .changeReference(_, let slot, nil): "the property \(property(slot)) of \(name) is no longer a reference"
    case .changeKeyGeneration(_, _?): "the keys of \(name) are generated where an object has none"
    case .changeKeyGeneration(_, nil): "the keys of \(name) are no longer generated"
    case .changeSearch(_, let slot, let search?):
      "the property \(property(slot)) of \(name) can be searched, with the weight \(search.weight)"
        + (search.language.map { ", in \($0)" } ?? "")
    case .changeSearch(_, let slot, nil): "the property \(property(slot)) of \(name) cannot be searched any more"
    case .changeSyncName(_, let slot?, let travel):
      "the property \(property(slot)) of \(name) travels as \(travel ?? property(slot))"
    case .changeSyncName(_, nil, let travel): "the model \(name) travels as \(travel ?? name)"
    case .createIndex(_, let index):
      "the index \(index.name) of \(name) was built: \(model?.describe(index) ?? "?")"
    case .dropIndex(_, let id): "the index \(index(id)) of \(name) was removed"
    case .renameIndex(_, let id, let new): "the index \(index(id)) of \(name) was renamed to \(new)"
    case .setProgramVersion(let number): "the models have the version \(number)"
    }
  }
}

import QuarryBackend
import QuarryCore

/// The conditions under which models of a store can be synced. What is not built is refused here, before anything is written.
enum SyncRefusal {
  static func check(_ manifest: BackendManifest) throws(StorageError) {
    for capability in [Capability.captureRows, .schemaCreateModel] { try manifest.require(capability) }
  }

  /// - Parameters:
  ///   - names: The names of all models that are to be synced.
  ///   - natural: The names of those whose integer keys are given by the outside world.
  static func check(_ schema: Schema, _ names: [String], natural: Set<String>) throws(StorageError) {
    for name in names {
      guard let model = schema.model(named: name), !model.isInternal else {
        throw StorageError(.notFound, "the store has no model \(name) to sync", model: name)
      }
      try check(model, among: schema.models, isNatural: natural.contains(name))
      if let other = schema.models.first(where: {
        !$0.isInternal && $0.id != model.id && $0.travelName.utf8.elementsEqual(model.travelName.utf8)
      }) {
        throw StorageError(
          .schemaMismatch,
          "it and \(other.name) travel by the name \(model.travelName): give one of them another syncName", model: name)
      }
      for property in model.properties where !property.isDropped {
        if let target = property.reference?.model, !names.contains(target) {
          if let links = StoredLinks(model, among: schema.models) {
            throw StorageError(
              .unsupported, "its list links to \(target), which is not synced: sync both", model: links.owner,
              property: links.property)
          }
          throw StorageError(
            .unsupported, "it refers to \(target), which is not synced: sync both", model: name, property: property.name
          )
        }
      }
    }
    for model in schema.models where !model.isInternal && !names.contains(model.name) {
      guard let target = model.targets.first(where: names.contains) else { continue }
      let owner = StoredLinks(model, among: schema.models)?.owner ?? model.name
      throw StorageError(
        .unsupported, "\(owner) refers to \(target) and is not synced: sync both", model: owner)
    }
  }

  private static func check(
    _ model: ModelSchema, among models: [ModelSchema], isNatural: Bool
  ) throws(StorageError) {
    let key = model.keyProperty
    func refuse(_ message: String, _ property: String) -> StorageError {
      StorageError(.unsupported, message, model: model.name, property: property)
    }
    // The number of a link does not travel.
    if StoredLinks(model, among: models) != nil { return }
    if model.keyGeneration == .sequence {
      throw refuse("keys from sequences of two stores collide: use a UUID or a String as the key", key.name)
    }
    for key in model.keyMembers?.map({ model.properties[$0] }) ?? [key] {
      if key.type.isInteger, !isNatural {
        throw refuse(
          "integer keys of two stores collide: use a UUID or a String, or declare the key as natural where the outside world gives "
            + "the number", key.name)
      }
      if key.type == .float || key.type == .double { throw refuse("a floating-point key cannot be synced", key.name) }
    }
    for index in model.indexes where index.isUnique {
      for column in index.columns {
        let property = model.properties[column.slot]
        if property.type == .float || property.type == .double {
          throw refuse("a unique index of a floating-point property cannot be synced", property.name)
        }
      }
    }
  }
}

extension ModelSchema {
  /// The names of the models to which it refers.
  var targets: [String] { liveSlots.compactMap { properties[$0].reference?.model } }
}

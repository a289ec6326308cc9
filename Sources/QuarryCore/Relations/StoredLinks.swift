package import QuarryBackend

/// A model of a store whose rows are the links of a property: ``LinkDefinition``.
package struct StoredLinks {
  /// The name of the model that has the property.
  package let owner: String
  /// The name of the property.
  package let property: String
  /// The name of the model that it links to.
  package let target: String

  /// Nil for a model that is no such model.
  package init?(_ model: ModelSchema, among models: [ModelSchema]) {
    let live = model.liveSlots.map { model.properties[$0] }
    guard
      live.map(\.name) == [LinkDefinition.id, LinkDefinition.owner, LinkDefinition.target, LinkDefinition.position],
      model.keyProperty.name == LinkDefinition.id, live[0].type == .int64, live[3].type == .int64,
      let owner = live[1].reference?.model, let target = live[2].reference?.model,
      models.contains(where: { $0.name.utf8.elementsEqual(owner.utf8) }),
      model.name.utf8.starts(with: LinkDefinition.name(owner, "").utf8), model.name.utf8.count > owner.utf8.count + 1
    else { return nil }
    self.owner = owner
    self.target = target
    property = String(decoding: model.name.utf8.dropFirst(owner.utf8.count + 1), as: UTF8.self)
  }
}

import QuarryBackend

/// The references between models, in one version of a stored schema.
@usableFromInline
final class ReferenceMap: Sendable {
  /// A property that has the keys of another model's objects.
  final class Reference: Sendable {
    /// The model that has the property.
    let source: ModelSchema
    let layout: RowLayout
    let slot: Int
    /// The model whose keys the property has.
    let target: ModelSchema
    let rule: PropertySchema.Reference.DeleteRule

    init(
      source: ModelSchema, _ layout: RowLayout, slot: Int, target: ModelSchema, _ reference: PropertySchema.Reference
    ) {
      self.source = source
      self.layout = layout
      self.slot = slot
      self.target = target
      rule = reference.deleteRule
    }

    var property: PropertySchema { source.properties[slot] }
  }

  /// The version of the schema.
  let version: UInt64
  /// Every reference, in the order of models and slots.
  let all: [Reference]
  /// By the model that has the property.
  private let outgoing: [ModelID: [Reference]]
  /// By the model whose keys it has.
  private let incoming: [ModelID: [Reference]]

  /// Nil for a schema without references. One whose model is not stored, yet or any more, is left out: it cannot be
  /// committed.
  init?(_ schema: Schema) {
    var all: [Reference] = []
    for model in schema.models where model.properties.contains(where: { $0.reference != nil }) {
      let layout = RowLayout(model)
      for slot in model.liveSlots {
        guard let reference = model.properties[slot].reference, let target = schema.model(named: reference.model) else {
          continue
        }
        all.append(Reference(source: model, layout, slot: slot, target: target, reference))
      }
    }
    guard !all.isEmpty else { return nil }
    self.all = all
    version = schema.version
    outgoing = Dictionary(grouping: all) { $0.source.id }
    incoming = Dictionary(grouping: all) { $0.target.id }
  }

  /// The references that objects of the model have.
  func references(of model: ModelID) -> [Reference] { outgoing[model] ?? [] }

  /// The references that lead to objects of the model.
  func references(to model: ModelID) -> [Reference] { incoming[model] ?? [] }
}

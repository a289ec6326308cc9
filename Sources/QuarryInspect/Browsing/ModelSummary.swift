public import QuarryBackend
import QuarryCore

/// A stored model, and how much there is of it.
public struct ModelSummary: Sendable, Hashable {
  /// The model as it is stored.
  public let schema: ModelSchema
  /// The number of its objects.
  public let objects: Int
  /// The bytes that they take, where the engine knows it.
  public let bytes: Int?
  /// The figures of its indexes, where the engine has them.
  public let indexes: [BackendStatistics.IndexStatistics]
  /// The property whose links are this model's rows; nil for a model of objects.
  public let links: LinkRelation?

  /// The name of the model.
  public var name: String { schema.name }
}

/// A property of linked objects: `Book.tags`, whose links are the rows of the model `Book_tags`.
public struct LinkRelation: Sendable, Hashable {
  /// The model of the links.
  public let model: String
  /// The model that has the property.
  public let owner: String
  /// The name of the property.
  public let property: String
  /// The model that it links to.
  public let target: String

  /// The relation whose links are the rows of a model; nil for any other model.
  init?(_ model: ModelSchema, among models: [ModelSchema]) {
    guard let links = StoredLinks(model, among: models) else { return nil }
    self.model = model.name
    owner = links.owner
    target = links.target
    property = links.property
  }
}

extension ModelSchema {
  /// The properties that were not dropped, in the order of their slots.
  public var liveProperties: [PropertySchema] { shownSlots.map { properties[$0] } }

  /// The property with that name that was not dropped.
  public func property(named name: String) -> PropertySchema? { slot(named: name).map { properties[$0] } }

  /// The property that tells a person which object it is: a string called name, title or label.
  public var titleProperty: PropertySchema? {
    let strings = liveProperties.filter { $0.type == .string }
    for word in ["name", "title", "label"] {
      if let found = strings.first(where: { $0.name.lowercased() == word }) { return found }
    }
    return nil
  }
}

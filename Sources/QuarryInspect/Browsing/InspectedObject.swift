public import QuarryBackend
public import QuarryCore

/// One object, with the objects that it refers to, that refer to it, and that it is linked with.
public struct InspectedObject: Sendable {
  /// A reference to another object.
  public struct Reference: Sendable {
    /// The property that has the key.
    public let property: String
    /// The model that it refers to.
    public let model: String
    /// The key; nil where the reference is nil.
    public let key: Value?
    /// The title of the other object, where its model has one.
    public let title: String?
    /// Whether the other object is stored.
    public let exists: Bool
  }

  /// The objects whose property refers to this one.
  public struct Referrers: Sendable {
    /// The model of these objects.
    public let model: String
    /// Their property.
    public let property: String
    /// The effect on them when this object is removed.
    public let rule: PropertySchema.Reference.DeleteRule
    /// How many there are.
    public let count: Int
    /// The condition that selects them, in the language of predicates.
    public let condition: String
  }

  /// The objects that are linked with this one by a property of links.
  public struct Links: Sendable {
    /// A linked object.
    public struct Element: Sendable {
      /// The key.
      public let key: Value
      /// The title, where the model has one.
      public let title: String?
    }

    /// The relation.
    public let relation: LinkRelation
    /// Whether this object is the target of the links, and not their owner.
    public let isInverse: Bool
    /// The number of links.
    public let count: Int
    /// The first objects: those that an owner links with come in the order of its list.
    public let elements: [Element]

    /// The model of the other side.
    public var model: String { isInverse ? relation.owner : relation.target }
  }

  /// The model.
  public let model: ModelSchema
  /// The primary key.
  public let key: Value
  /// The object.
  public let record: Record
  /// Identifies the values of the object, to find out later whether they have changed.
  public let digest: String
  /// The references that it has, in the order of the properties.
  public let references: [Reference]
  /// The references to it, in the order of models and properties.
  public let referrers: [Referrers]
  /// The links on either side.
  public let links: [Links]

  /// The title of the object, where its model has one.
  public var title: String? { model.titleProperty.flatMap { record[$0.name]?.stringValue } }
}

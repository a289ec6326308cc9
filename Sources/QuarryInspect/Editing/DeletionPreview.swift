public import QuarryBackend

/// The effects that the removal of an object has by the delete rules.
public struct DeletionPreview: Sendable, Hashable {
  /// The effects on the objects of one model through one property.
  public struct Effect: Sendable, Hashable {
    /// The model of these objects.
    public let model: String
    /// Their property, which refers to a removed object.
    public let property: String
    /// The rule of the property: the objects are removed, their reference becomes nil, or they are in the way.
    public let rule: PropertySchema.Reference.DeleteRule
    /// The number of objects.
    public var count: Int
  }

  /// The effects, in the order in which the rules are followed.
  public internal(set) var effects: [Effect] = []
  /// The number of objects that would be removed, the object itself included.
  public internal(set) var removed = 1
  /// Whether all effects were counted. Past ``StoreInspector/mostPreviewed`` objects the counts are the least that there are.
  public internal(set) var isComplete = true

  /// Whether a rule denies the removal.
  public var isDenied: Bool { effects.contains { $0.rule == .deny } }
}

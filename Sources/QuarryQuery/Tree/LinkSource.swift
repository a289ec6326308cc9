public import QuarryBackend

/// One side of the links between two models: a query with it is about the objects that are linked with one object.
///
/// Links are rows of a model of their own, with a reference to each side.
public struct LinkSource: Sendable, Hashable, Codable {
  /// The name of the model whose rows are the links.
  public var model: String
  /// The name of the property that has the key of the one object.
  public var property: String
  /// The name of the property that has the keys of those that are linked with it.
  public var linked: String
  /// The primary key of the one object.
  public var key: Value

  /// Creates a link source.
  ///
  /// - Parameters:
  ///   - model: The name of the model whose rows are the links.
  ///   - property: The name of the property that has the key of the one object.
  ///   - linked: The name of the property that has the keys of the linked objects.
  ///   - key: The primary key of the one object.
  public init(model: String, property: String, linked: String, key: Value) {
    self.model = model
    self.property = property
    self.linked = linked
    self.key = key
  }
}

public import QuarryBackend
public import QuarryCore

extension Draft {
  /// The difference between an object as the draft found it and as the draft has it now.
  public struct Change: Sendable {
    /// The kind of a change.
    public enum Kind: Sendable, Hashable {
      /// What the draft does to the object.
      case inserted, updated, deleted
    }

    /// A property with different values.
    public struct Property: Sendable, Hashable {
      /// The name of the property.
      public var name: String
      /// The value that the draft found.
      public var old: Value
      /// The value that the draft has now.
      public var new: Value
    }

    /// The changed object.
    public let id: ObjectID
    /// The kind of the change.
    public let kind: Kind
    /// The properties of an updated object that differ bit by bit, in the order of the model; none for other kinds.
    public let properties: [Property]
    private let old: (any Model)?
    private let new: (any Model)?

    init(id: ObjectID, kind: Kind, properties: [Property], old: (any Model)?, new: (any Model)?) {
      self.id = id
      self.kind = kind
      self.properties = properties
      self.old = old
      self.new = new
    }

    /// The object as the draft found it; nil for an inserted object, and for another type.
    public func old<M: Model>(as type: M.Type) -> M? { old as? M }

    /// The object as the draft has it now; nil for a deleted object, and for another type.
    public func new<M: Model>(as type: M.Type) -> M? { new as? M }
  }
}

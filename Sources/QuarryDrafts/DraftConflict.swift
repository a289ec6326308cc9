public import QuarryCore

/// The treatment of objects that others have changed since a draft read them.
public enum DraftConflict: Sendable, Hashable {
  /// Saves nothing, and throws ``DraftConflicts``.
  case fail
  /// Keeps the changes of both sides where they changed different properties of an object, and otherwise throws
  /// ``DraftConflicts``.
  case mergeProperties
  /// Stores the objects of the draft in any case.
  case overwrite
}

/// The objects for which a draft was not saved. Nothing was saved, and the draft has all its edits.
public struct DraftConflicts: Error, Sendable, CustomStringConvertible {
  /// An object that others have changed, and the draft, too.
  public struct Object: Sendable {
    /// The object.
    public let id: ObjectID
    /// The properties that both sides have changed to different values; none where one side inserted or deleted the object.
    public let properties: [String]
    private let versions: [(any Model)?]

    init<M: Model>(id: ObjectID, properties: [String], base: M?, mine: M?, theirs: M?) {
      self.id = id
      self.properties = properties
      versions = [base, mine, theirs]
    }

    /// The object as the draft read it; nil where it was not stored, and for another type.
    public func base<M: Model>(as type: M.Type) -> M? { versions[0] as? M }

    /// The object of the draft; nil where the draft deletes it, and for another type.
    public func mine<M: Model>(as type: M.Type) -> M? { versions[1] as? M }

    /// The object as it is stored now; nil where it was deleted, and for another type.
    public func theirs<M: Model>(as type: M.Type) -> M? { versions[2] as? M }
  }

  /// Every object with a conflict, in the order in which the draft changed them.
  public let objects: [Object]

  /// The objects and the properties as people read them.
  public var description: String {
    let list = objects.map { object in
      object.properties.isEmpty ? "\(object.id)" : "\(object.id) (\(object.properties.joined(separator: ", ")))"
    }
    return "other writes have changed objects of the draft: \(list.joined(separator: "; "))"
  }
}

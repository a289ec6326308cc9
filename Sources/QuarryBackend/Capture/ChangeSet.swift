/// The changes of one commit, or of several together: for each model, the keys of the objects whose rows differ.
public struct ChangeSet: Sendable, Hashable {
  /// The change of one object.
  public struct Change: Sendable, Hashable {
    /// The kind of change to an object.
    public enum Kind: UInt8, Sendable, Hashable, Codable {
      /// The object was added, changed or removed.
      case insertion, update, deletion
    }

    /// The primary key.
    public var key: Key
    /// The kind of change to the object.
    public var kind: Kind
    /// The row before, when rows were captured; nil for an object that was not there.
    public var old: Row?
    /// The row after, when rows were captured; nil for an object that was removed.
    public var new: Row?

    /// Creates the change of an object.
    ///
    /// - Parameters:
    ///   - key: The primary key.
    ///   - kind: The kind of change.
    ///   - old: The row before; nil for an insertion, and where rows were not captured.
    ///   - new: The row after; nil for a deletion, and where rows were not captured.
    public init(key: Key, kind: Kind, old: Row? = nil, new: Row? = nil) {
      self.key = key
      self.kind = kind
      self.old = old
      self.new = new
    }
  }

  /// The changes to the objects of one model.
  public enum ModelChanges: Sendable, Hashable {
    /// Some of them changed, not known which: only that was asked for, or they were too many to be remembered.
    case unknown
    /// These, in the order of their keys, each once.
    case objects([Change])
  }

  /// Whether anything may have changed, the schema too: another process wrote, or nothing was captured.
  public var isUnknown: Bool
  /// The models that changed, as far as they were captured.
  public var models: [ModelID: ModelChanges]

  /// Creates a change set.
  ///
  /// - Parameters:
  ///   - models: The changes by model; a model without changes is left out.
  ///   - isUnknown: Whether anything may have changed, the schema too.
  public init(models: [ModelID: ModelChanges] = [:], isUnknown: Bool = false) {
    self.models = models
    self.isUnknown = isUnknown
  }

  /// Something changed, not known what.
  public static let unknown = ChangeSet(isUnknown: true)

  /// Whether nothing changed.
  public var isEmpty: Bool { !isUnknown && models.isEmpty }
}

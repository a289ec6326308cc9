/// What one commit changed.
public enum ChangeSet: Sendable {
  /// The change of one object.
  public struct Change: Sendable {
    /// The number of the model.
    public var model: ModelID
    /// The primary key.
    public var key: Key
    /// The rows before and after, when rows were captured.
    public var old: Row?
    /// The row after, when rows were captured; nil for one that was removed.
    public var new: Row?

    public init(model: ModelID, key: Key, old: Row? = nil, new: Row? = nil) {
      self.model = model
      self.key = key
      self.old = old
      self.new = new
    }
  }

  case changes([Change])
  /// Something changed, but not known what: another process wrote, or nothing was captured.
  case unknown
}

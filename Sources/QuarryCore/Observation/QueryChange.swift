public import QuarryBackend

/// The effect of a commit on the objects of an observed query: the new objects, and their difference from the old ones.
///
/// ```swift
/// for try await change in store.changes(of: Book.where { $0.year > 1970 }.sorted(by: \.title)) {
///   if change.isInitial { list.show(change.objects) } else { list.update(change) }
/// }
/// ```
///
/// To update an old list, remove what is deleted or moved. Then insert what is inserted or moved, in the order of the new places,
/// and replace what is updated. ``applied(to:)`` does this, and so do list views. Objects with the same primary key are the same
/// object.
public struct QueryChange<Object: Sendable>: Sendable {
  /// An object that is no longer in the list.
  public struct Deletion: Sendable {
    /// Its place in the old list.
    public var place: Int
    /// The object as it was.
    public var object: Object
  }

  /// An object that was not in the list.
  public struct Insertion: Sendable {
    /// Its place in the new list.
    public var place: Int
    /// The object.
    public var object: Object
  }

  /// An object whose position relative to the staying objects has changed.
  public struct Move: Sendable, Hashable {
    /// Its place in the old list.
    public var from: Int
    /// Its place in the new list.
    public var to: Int
  }

  /// An object that differs from before. If it has also moved, it is among the moves as well.
  public struct Update: Sendable {
    /// Its place in the old list.
    public var oldPlace: Int
    /// Its place in the new list.
    public var place: Int
    /// The object as it was.
    public var old: Object
    /// The object as it is.
    public var new: Object
    /// The names of the properties that differ, in their order.
    public var properties: [String]
  }

  /// The state of the store that has these objects.
  public var version: CommitVersion
  /// Whether this is the first: the objects as they were found, and no change.
  public var isInitial: Bool
  /// The objects of the query, in its order.
  public var objects: [Object]
  /// The deletions, in the order of the old places.
  public var deletions: [Deletion] = []
  /// The insertions, in the order of the new places.
  public var insertions: [Insertion] = []
  /// The moves, in the order of the new places; as few as possible.
  public var moves: [Move] = []
  /// The updates, in the order of the new places where the query's rows are kept, else of the old places.
  public var updates: [Update] = []

  /// The objects after the change, computed from the objects before it.
  ///
  /// - Parameter old: The objects before the change, as the previous change had them.
  public func applied(to old: [Object]) -> [Object] {
    var list = old
    listChange.apply(to: &list, inserted: insertions.map(\.object))
    for update in updates { list[update.place] = update.new }
    return list
  }

  private var listChange: ListChange {
    var change = ListChange()
    change.deletions = deletions.map(\.place)
    change.insertions = insertions.map(\.place)
    change.moves = moves.map { ListChange.Move(from: $0.from, to: $0.to) }
    return change
  }
}

public import QuarryBackend

/// What a commit has made of the objects of an observed query: the new ones, and how they come of the old.
///
/// ```swift
/// for try await change in store.changes(of: Book.where { $0.year > 1970 }.sorted(by: \.title)) {
///   if change.isInitial { list.show(change.objects) } else { list.update(change) }
/// }
/// ```
///
/// Taking out what is deleted or moved from the old list, putting in what is inserted or moved in the order of the new
/// places, and replacing what is updated makes the new list: what ``applied(to:)`` does, and list views do. An object is
/// the same where its primary key is.
public struct QueryChange<Object: Sendable>: Sendable {
  /// An object that is in the list no more.
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

  /// An object that is elsewhere in relation to those that stay.
  public struct Move: Sendable, Hashable {
    /// Its place in the old list.
    public var from: Int
    /// Its place in the new list.
    public var to: Int
  }

  /// An object that is another than before. One that has moved, too, is among the moves besides.
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
  /// In the order of the old places.
  public var deletions: [Deletion] = []
  /// In the order of the new places.
  public var insertions: [Insertion] = []
  /// In the order of the new places; as few as there can be.
  public var moves: [Move] = []
  /// In the order of the new places where the query's rows are kept, else of the places that they had.
  public var updates: [Update] = []

  /// The objects that the change makes of those before it.
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

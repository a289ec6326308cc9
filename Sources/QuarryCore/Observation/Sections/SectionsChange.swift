public import QuarryBackend

/// The effect of a commit on the objects of an observed query in sections: the new sections, and their difference from the old
/// ones.
///
/// See ``Store/changes(of:sectionedBy:order:)``.
///
/// To update old sections, remove those that are deleted. Insert those that are inserted, in the order of the new places, and apply
/// the change of each updated section to its list. ``applied(to:)`` does this, and so do list views. An object that goes from one
/// section to another is deleted in the one and inserted in the other.
public struct SectionsChange<Key: Storable, Element: Sendable>: Sendable {
  /// A section that is no longer there.
  public struct Deletion: Sendable {
    /// Its place among the old sections.
    public var place: Int
    /// The section as it was.
    public var section: GroupedObjects<Key, Element>
  }

  /// A section that was not there.
  public struct Insertion: Sendable {
    /// Its place among the new sections.
    public var place: Int
    /// The section.
    public var section: GroupedObjects<Key, Element>
  }

  /// A section whose objects differ.
  public struct Update: Sendable {
    /// Its place among the old sections.
    public var oldPlace: Int
    /// Its place among the new sections.
    public var place: Int
    /// The change of its objects, whose places are those in the section.
    public var change: QueryChange<Element>
  }

  /// The state of the store that has these sections.
  public var version: CommitVersion
  /// Whether this is the first: the sections as they were found, and no change.
  public var isInitial: Bool
  /// The sections, in their order. A section has at least one object.
  public var sections: [GroupedObjects<Key, Element>]
  /// The deleted sections, in the order of the old places.
  public var deletions: [Deletion] = []
  /// The inserted sections, in the order of the new places.
  public var insertions: [Insertion] = []
  /// The sections whose objects differ, in the order of the new places.
  public var updates: [Update] = []

  /// The sections after the change, computed from the sections before it.
  ///
  /// - Parameter old: The sections before the change, as the previous change had them.
  public func applied(to old: [GroupedObjects<Key, Element>]) -> [GroupedObjects<Key, Element>] {
    var list = old
    for deletion in deletions.reversed() { list.remove(at: deletion.place) }
    for insertion in insertions { list.insert(insertion.section, at: insertion.place) }
    for update in updates { list[update.place].elements = update.change.applied(to: list[update.place].elements) }
    return list
  }
}

/// The changes of a query in sections. See ``Store/changes(of:sectionedBy:order:)``.
///
/// Each iterator observes separately.
public struct SectionChanges<Key: Storable, M: Model>: AsyncSequence, Sendable {
  public typealias Element = SectionsChange<Key, M>

  let changes: QueryChanges<SectionedObject<Key, M>>

  public func makeAsyncIterator() -> Iterator { Iterator(changes: changes.makeAsyncIterator()) }

  /// Waits for changes.
  public struct Iterator: AsyncIteratorProtocol {
    var changes: QueryChanges<SectionedObject<Key, M>>.Iterator
    private var list = SectionList<Key, M>()

    init(changes: QueryChanges<SectionedObject<Key, M>>.Iterator) {
      self.changes = changes
    }

    /// The next change, waited for; nil when the task was cancelled or the store closed.
    ///
    /// - Throws: As ``next(isolation:)``.
    public mutating func next() async throws -> SectionsChange<Key, M>? {
      try await next(isolation: nil)
    }

    /// The next change, waited for; nil when the task was cancelled or the store closed.
    ///
    /// - Parameter actor: The actor on which the caller continues; nil for none.
    /// - Throws: The reason why the query cannot be observed, or not any more: an error of reading it.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> SectionsChange<Key, M>? {
      guard let change = try await changes.next(isolation: actor) else { return nil }
      return list.take(change)
    }
  }
}

extension Store {
  /// The changes of a selection's objects in sections of the same value of a column.
  ///
  /// The first element has the current sections. Each further one is the change of a commit, with the steps for each section.
  ///
  /// ```swift
  /// for try await change in store.changes(of: Entry.all.sorted(by: \.title), sectionedBy: \.day) {
  ///   if change.isInitial { table.show(change.sections) } else { table.update(change) }
  /// }
  /// ```
  ///
  /// ``live(_:sectionedBy:order:on:)`` describes the sections, and ``changes(of:)-swift.method`` the commits that have a change.
  ///
  /// - Parameters:
  ///   - selection: The objects. Those of a section are in the order of the query.
  ///   - column: The column whose values are the sections. Its type has an order.
  ///   - order: Whether the sections go from the least value to the greatest, or the other way.
  /// - Returns: A sequence that observes from its first element on. An error of reading the objects ends it.
  public func changes<M: Model, Key: Storable>(
    of selection: some Selection<M>, sectionedBy column: KeyPath<M.Columns, Column<Key>>,
    order: SortDirection = .forward
  ) -> SectionChanges<Key, M> {
    let column = M.Columns()[keyPath: column]
    return SectionChanges(changes: QueryChanges { [self] in try sectionReader(selection, column, order) })
  }

  func sectionReader<M: Model, Key: Storable>(
    _ selection: some Selection<M>, _ column: Column<Key>, _ order: SortDirection
  ) throws -> ChangeReader<SectionedObject<Key, M>> {
    let binding = try context.binding(M.self)
    do throws(StorageError) {
      var tree = try selection.query.checked()
      // A query without an order has that of the keys, ascending, which the order of the sections must not turn around.
      if tree.order.isEmpty, order == .reverse { tree.order = binding.schema.keyNames.map { .init($0) } }
      tree.order.insert(.init(column.name, isDescending: order == .reverse), at: 0)
      let observer = try QueryObserver(self, ObservedQuery(tree: tree, isTyped: true))
      return ChangeReader(observer) { row throws(StorageError) in
        try row.bytes.withBytes { bytes throws(StorageError) in
          let reader = try ModelReader(bytes, binding)
          let value = try reader.groupValue(column)
          return SectionedObject(object: try reader.object(M.self), key: try reader.group(column), value: value)
        }
      }
    } catch {
      throw error.with(model: binding.name)
    }
  }
}

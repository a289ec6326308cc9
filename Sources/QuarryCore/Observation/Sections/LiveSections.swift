public import Observation
import QuarryBackend

/// The current objects of a query in sections, kept up to date on an actor: see ``Store/live(_:sectionedBy:order:on:)``.
///
/// ```swift
/// let days = try store.live(Entry.all.sorted(by: \.title), sectionedBy: \.day)
/// for day in days { print(day.key, day.elements.count) }
/// ```
///
/// It is observable, and changes on its actor alone, as ``LiveQuery`` does.
public final class LiveSections<Key: Storable, M: Model>: Observable, Sendable {
  private let content: LiveContent<SectionedObject<Key, M>, [GroupedObjects<Key, M>]>

  init(_ reader: ChangeReader<SectionedObject<Key, M>>, on actor: isolated any Actor) throws {
    content = try LiveContent(reader, on: actor) { SectionList($0.objects).sections }
  }

  /// The sections, in their order. A section has at least one object.
  public var sections: [GroupedObjects<Key, M>] { content.content }

  /// The error that ended the updates; nil while the sections are kept up to date, and after the store was closed.
  public var error: (any Error)? { content.error }

  /// Waits until the sections have every commit that ended before the call. See ``LiveQuery/settled()``.
  ///
  /// - Throws: As ``LiveQuery/settled()``.
  public func settled() async throws { try await content.settle() }
}

extension LiveSections: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { sections.count }
  public subscript(place: Int) -> GroupedObjects<Key, M> { sections[place] }
  /// The sections as they are now: what changes afterwards is not seen.
  public func makeIterator() -> IndexingIterator<[GroupedObjects<Key, M>]> { sections.makeIterator() }
}

extension Store {
  /// The current objects of a selection in sections of the same value of a column, kept up to date on the given actor.
  ///
  /// Without one, the caller's actor is used.
  ///
  /// - Parameters:
  ///   - column: The column whose values are the sections. Values that are ordered as one (-0.0 and 0.0, all NaNs) are one section.
  ///   - order: The order of the sections. The objects of a section have the order of the query. A limit of the query counts
  ///     objects in the order of the sections.
  /// - Throws: The errors of fetching the selection; `invalidQuery` for a column whose type has no order; `closed`.
  /// - Complexity: The objects are fetched in this call. A commit that changes them costs in proportion to their number.
  public func live<M: Model, Key: Storable>(
    _ selection: some Selection<M>, sectionedBy column: KeyPath<M.Columns, Column<Key>>,
    order: SortDirection = .forward, on actor: isolated any Actor = #isolation
  ) throws -> LiveSections<Key, M> {
    try LiveSections(sectionReader(selection, M.Columns()[keyPath: column], order), on: actor)
  }
}

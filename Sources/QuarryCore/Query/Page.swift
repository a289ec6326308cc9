import QuarryBackend
import QuarryQuery

/// The place after the last object of a page. It can be kept and sent, and belongs to its query: another query refuses
/// it with `invalidQuery`.
public struct PagePosition: Sendable, Hashable, Codable {
  let tree: QueryTree.PagePosition
}

/// Some objects of a query and where the next begin.
public struct Page<Element: Sendable>: Sendable {
  /// What the page has, in the order of the query.
  public var elements: [Element]
  /// Where the next page begins; nil when there is none.
  public var next: PagePosition?
}

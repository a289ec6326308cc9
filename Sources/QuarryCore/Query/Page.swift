import QuarryBackend
import QuarryQuery

/// The place after the last object of a page. It can be kept and sent, and belongs to its query: another query refuses
/// it with `invalidQuery`.
public struct PagePosition: Sendable, Hashable, Codable {
  let tree: QueryTree.PagePosition
}

/// Some objects of a query and the position where the next page begins.
public struct Page<Element: Sendable>: Sendable {
  /// The page's elements, in the order of the query.
  public var elements: [Element]
  /// The position where the next page begins; nil when there is none.
  public var next: PagePosition?
}

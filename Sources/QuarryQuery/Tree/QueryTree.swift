public import QuarryBackend

/// A query over one model, by names.
///
/// The three fronts build it, it can be stored and sent, and it is bound to a schema before a backend sees it (``BoundQuery``).
public struct QueryTree: Sendable, Hashable, Codable {
  /// The name of the model.
  public var model: String
  /// The condition that objects fulfil.
  public var predicate: PredicateTree
  /// The keys of the order; objects that tie in all of them come in the order of the primary key.
  public var order: [SortKey]
  /// How many objects are given at most; nil for no limit.
  public var limit: Int?
  /// How many objects are left out first.
  public var offset: Int
  /// The position after which results begin, for paging.
  public var position: PagePosition?
  /// The source of the links, if only objects linked with one given object are requested.
  public var links: LinkSource?

  /// Creates a query tree.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - predicate: The condition.
  ///   - order: The sort keys; binding adds the primary key as the last one.
  ///   - limit: The most objects, at least 0; nil for no limit.
  ///   - offset: The number of first objects to leave out, at least 0.
  ///   - position: The position after which results begin; nil for the first page.
  ///   - links: The source of the links; nil for all objects of the model.
  public init(
    model: String, predicate: PredicateTree = .constant(true), order: [SortKey] = [], limit: Int? = nil,
    offset: Int = 0,
    position: PagePosition? = nil, links: LinkSource? = nil
  ) {
    self.model = model
    self.predicate = predicate
    self.order = order
    self.limit = limit
    self.offset = offset
    self.position = position
    self.links = links
  }

  /// One key of an order.
  public struct SortKey: Sendable, Hashable, Codable {
    /// The name of the property.
    public var property: String
    /// Where the property is a reference, the names that lead on from the object that it refers to.
    public var members: [String]
    /// Whether the greatest value comes first.
    public var isDescending: Bool

    /// A key by the name of its property.
    public init(_ property: String, isDescending: Bool = false) {
      self.init(PropertyPath(property), isDescending: isDescending)
    }

    /// A key by a path through references: `author.name`.
    public init(_ path: PropertyPath, isDescending: Bool = false) {
      property = path.property
      members = path.members
      self.isDescending = isDescending
    }

    /// The property, and what follows it.
    public var path: PropertyPath { PropertyPath(property, members: members) }

    public static func == (left: SortKey, right: SortKey) -> Bool {
      left.path == right.path && left.isDescending == right.isDescending
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(path)
      hasher.combine(isDescending)
    }

    private enum CodingKeys: String, CodingKey {
      case property, members, isDescending
    }

    public init(from decoder: any Decoder) throws {
      let parts = try decoder.container(keyedBy: CodingKeys.self)
      property = try parts.decode(String.self, forKey: .property)
      members = try parts.decodeIfPresent([String].self, forKey: .members) ?? []
      isDescending = try parts.decode(Bool.self, forKey: .isDescending)
    }

    public func encode(to encoder: any Encoder) throws {
      var parts = encoder.container(keyedBy: CodingKeys.self)
      try parts.encode(property, forKey: .property)
      // As it was before there were paths, where there is none.
      if !members.isEmpty { try parts.encode(members, forKey: .members) }
      try parts.encode(isDescending, forKey: .isDescending)
    }
  }

  /// The place of a row in an order: the values of the sort keys and the primary key of the last row of a page.
  public struct PagePosition: Sendable, Hashable, Codable {
    /// The values of the sort keys.
    public var values: [Value]
    /// The primary key.
    public var key: Value
    /// Identifies the query that the position belongs to, so that one of another query is refused.
    public var fingerprint: UInt64

    /// Creates a page position.
    ///
    /// - Parameters:
    ///   - values: The values of the sort keys in the last row of a page.
    ///   - key: The primary key of that row.
    ///   - fingerprint: The number that identifies the query of the page.
    public init(values: [Value], key: Value, fingerprint: UInt64) {
      self.values = values
      self.key = key
      self.fingerprint = fingerprint
    }
  }
}

/// How far a client knows a part of its hub.
package struct PartPlace: Sendable, Hashable {
  /// Identifies the part: the hub's identity, its models, and the queries of the principal.
  package var part: UInt64
  /// The commit of the hub whose changes come next.
  package var cursor: UInt64
  /// Whether the whole part is under way. What does not come until its end is not in the part.
  package var isWhole: Bool
  /// The last object of the whole part that came; nil where none did. The key of a link is the number of its row.
  package var after: ObjectID?

  package init(part: UInt64, cursor: UInt64, isWhole: Bool, after: ObjectID? = nil) {
    self.part = part
    self.cursor = cursor
    self.isWhole = isWhole
    self.after = after
  }
}

/// What a hub says before the objects of a part.
package struct PartHeader: Sendable, Hashable {
  /// What the hub knows.
  package var knowledge: Knowledge
  /// Whether the whole part begins here.
  package var isFresh: Bool
  /// The place before the first object.
  package var place: PartPlace

  package init(knowledge: Knowledge, isFresh: Bool, place: PartPlace) {
    self.knowledge = knowledge
    self.isFresh = isFresh
    self.place = place
  }
}

extension SyncWriter {
  mutating func place(_ place: PartPlace) {
    fixed(place.part)
    varint(place.cursor)
    flag(place.isWhole)
    optional(place.after) { $0.object($1) }
  }

  mutating func header(_ header: PartHeader) {
    knowledge(header.knowledge)
    flag(header.isFresh)
    place(header.place)
  }
}

/// What a hostile peer does to an answer.
package enum HostileKind: String, CaseIterable, Sendable {
  /// Bytes that end early, or are others than the checksum was made of.
  case damaged
  /// A payload that ends early, under a right length and checksum.
  case truncated
  /// A payload with a changed byte, under a right checksum.
  case flipped
  /// A payload with bytes put in, taken out or taken from another message, under a right checksum.
  case spliced
  /// Heads of frames: lengths, kinds, flags, pieces.
  case heads
  /// Counts and lengths of 10^9, and of 2^63.
  case counts
  /// Values in values, 2 to 100,000 deep.
  case nested
  /// Messages that are missing, double, in another order or under other numbers.
  case order
  /// Entries under the names of other replicas: the hub, the receiver, the empty name.
  case origins
  /// Places in the log that are taken, with other content; tags that do not follow.
  case places
  /// Stamps of 2099, of the year 6429, and from before 1970.
  case times
  /// Knowledge that the sender does not have: vectors, holes, refusals, rows that hide others.
  case knowledge
  /// What an introduction says of the receiver's own names, and of merge rules.
  case introductions
  /// Objects of models that are not synced or not known, keys that do not fit, links with other sides.
  case objects
  /// Values of another type than the property's, and without bounds.
  case values
  /// Births, deaths, counts and elements that no transaction makes.
  case records
  /// What a peer asks with: the store answers, or refuses.
  case hellos

  /// Whether bytes are changed, not messages.
  var isOfBytes: Bool {
    switch self {
    case .damaged, .truncated, .flipped, .spliced, .heads, .counts, .nested: true
    default: false
    }
  }
}

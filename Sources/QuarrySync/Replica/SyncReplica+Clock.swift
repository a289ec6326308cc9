extension SyncReplica {
  /// The stamp of a new transaction.
  mutating func newStamp() -> Stamp {
    Stamp(clock.tick(environment.scale, at: environment.now()), id)
  }

  /// A tag that no other entry has: eight bytes of SHA-256 without the highest bit, over the tag before, the content and a
  /// random number.
  func newTag(after previous: EntryMark, _ changes: [ObjectChange]) -> UInt64 {
    var writer = SyncWriter()
    writer.fixed(previous.tag)
    writer.fixed(environment.random())
    writer.changes(changes)
    return SyncHash.number(writer.bytes) & ~EntryMark.voidBit
  }

  /// The tag of an entry whose predecessor was refused. A copy of its author makes the same one.
  static func tag(of tag: UInt64, after previous: EntryMark) -> UInt64 {
    var writer = SyncWriter()
    writer.fixed(tag)
    writer.fixed(previous.hlc)
    writer.fixed(previous.tag)
    return SyncHash.number(writer.bytes) & ~EntryMark.voidBit
  }
}

import QuarryBackend

extension SyncReader {
  private mutating func counter() throws(StorageError) -> Count {
    Count(plus: try varint(), minus: try varint(), hlc: try varint())
  }

  private mutating func counts() throws(StorageError) -> Counts {
    try map { reader throws(StorageError) in
      (
        try reader.name(),
        try reader.map { reader throws(StorageError) in (try reader.replica(), try reader.counter()) }
      )
    }
  }

  private mutating func sets() throws(StorageError) -> SetElements {
    try map { reader throws(StorageError) in (try reader.name(), try reader.elements()) }
  }

  private mutating func elements() throws(StorageError) -> [Value: SetElement] {
    var result: [Value: SetElement] = [:]
    var last: Value?
    for _ in 0..<(try count(of: 4)) {
      let element = try value()
      if let last, !last.precedes(element) { throw Self.damaged }
      last = element
      result[element] = SetElement(try varint(), try stamp())
    }
    return result
  }

  private mutating func registers() throws(StorageError) -> [SyncName: Register] {
    try map { reader throws(StorageError) in
      (try reader.name(), Register(try reader.stamp(), try reader.value()))
    }
  }

  mutating func births() throws(StorageError) -> Births {
    try map { reader throws(StorageError) in
      let birth = try reader.stamp()
      let flags = try reader.byte()
      guard flags <= 3 else { throw Self.damaged }
      let root = flags & 2 == 0 ? birth : try reader.stamp()
      guard flags & 2 == 0 || root != birth else { throw Self.damaged }
      let columns = try reader.registers()
      return (
        birth,
        BirthRecord(
          root: root, isWhole: flags & 1 != 0, columns: columns, counts: try reader.counts(), sets: try reader.sets())
      )
    }
  }

  mutating func deaths() throws(StorageError) -> Deaths {
    try map { reader throws(StorageError) in
      let birth = try reader.stamp()
      let stamp = try reader.stamp()
      let columns: [SyncName: Stamp] = try reader.map { reader throws(StorageError) in
        (try reader.name(), try reader.stamp())
      }
      return (birth, Death(stamp: stamp, columns: columns, counts: try reader.counts(), sets: try reader.sets()))
    }
  }

  mutating func change() throws(StorageError) -> ObjectChange {
    ObjectChange(try object(), births: try births(), deaths: try deaths())
  }

  mutating func changes() throws(StorageError) -> [ObjectChange] {
    try list { reader throws(StorageError) in try reader.change() }
  }

  mutating func entry() throws(StorageError) -> SyncEntry {
    let origin = try replica()
    let mark = try mark()
    let previous = try self.mark()
    let flags = try byte()
    guard flags <= 7, previous.hlc < mark.hlc else { throw Self.damaged }
    let changes = try changes()
    for (change, next) in zip(changes, changes.dropFirst()) where !(change.object < next.object) { throw Self.damaged }
    let countedBefore: [CounterKey: Count] = try map { reader throws(StorageError) in
      (CounterKey(try reader.object(), try reader.stamp(), try reader.name()), try reader.counter())
    }
    let seen: SeenRegisters =
      flags & 4 == 0
      ? [:] : try map { reader throws(StorageError) in (try reader.object(), try reader.registers()) }
    guard flags & 4 == 0 || !seen.isEmpty else { throw Self.damaged }
    return SyncEntry(
      origin: origin, mark: mark, previous: previous, changes: changes, isRepair: flags & 1 != 0,
      isHollow: flags & 2 != 0, countedBefore: countedBefore, seen: seen)
  }

  mutating func vector() throws(StorageError) -> VersionVector {
    try map { reader throws(StorageError) in (try reader.replica(), try reader.mark()) }
  }

  mutating func knowledge() throws(StorageError) -> Knowledge {
    let vector = try vector()
    let holes = try list { reader throws(StorageError) in try reader.stamp() }
    for (hole, next) in zip(holes, holes.dropFirst()) where !(hole < next) { throw Self.damaged }
    return Knowledge(vector, holes: Set(holes))
  }

  mutating func floors() throws(StorageError) -> Floors {
    try map { reader throws(StorageError) in (try reader.replica(), try reader.varint()) }
  }
}

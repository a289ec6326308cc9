import QuarryBackend
import QuarryCore

// A client takes its part of the hub: SYNC-35 and SYNC-36. Each step can be repeated. The place moves last, so that an answer which
// was cut is asked for again.

extension StoreSync {
  /// The most objects that one transaction stores, and that one looks at.
  private static let partBatch = 500

  /// Takes an answer with objects of a part.
  func takePart(_ session: UInt64, _ messages: [NumberedMessage], _ terms: SyncTerms) throws -> Refused {
    let answer = PartAnswer(messages)
    guard let header = answer.header, case .yours(var introduction)? = messages.first?.message,
      try role == .client
    else { throw SyncReader.damaged }
    // The hub's word counts, whatever this client knew of others.
    introduction.doubts = []
    let first = NumberedMessage(0, .yours(introduction))
    guard try keepsName(first) else { return try receiveWhole(session, [first], terms) }
    try learn(introduction.rules)
    if let reason = misfit(of: answer, header) { return (1, reason) }
    if try begins(header) {
      try checkDeletes(answer, introduction, terms)
      for start in stride(from: 0, to: answer.objects.count, by: Self.partBatch) {
        let objects = answer.objects[start..<min(start + Self.partBatch, answer.objects.count)]
        try take(objects, header)
      }
      if let (place, isEnd) = answer.end { try move(to: place, isEnd: isEnd, header) }
    }
    guard !answer.notices.isEmpty else { return (0, nil) }
    return try receiveWhole(session, NumberedMessage.numbered([first.message] + answer.notices), terms)
  }

  private func keepsName(_ first: NumberedMessage) throws -> Bool {
    try reading { work in
      try work.loadPlaces(of: work.state.names)
      var replica = work.replica
      let name = replica.id
      replica.receive(replica.session, [first])
      return replica.id == name
    }
  }

  private func misfit(of answer: PartAnswer, _ header: PartHeader) -> RefusedChanges? {
    if answer.newest > keeper.environment.limit { return .clock }
    if answer.objects.contains(where: { $0.object.key.syncBytes.count > SyncLimits.key }) { return .key }
    if header.knowledge.vector.count > SyncLimits.replicas { return .replicas }
    return header.knowledge.holes.count > SyncLimits.holes ? .holes : nil
  }

  /// Whether an answer begins where this client is. A part that comes as a whole begins anew.
  private func begins(_ header: PartHeader) throws -> Bool {
    let place = try reading { $0.state.place }
    guard header.isFresh else { return place == header.place }
    guard header.place.isWhole else { throw SyncReader.damaged }
    // An answer to an earlier question.
    if let place, place.part == header.place.part, header.place.cursor < place.cursor { return false }
    try removeCame()
    try changing { work in
      work.state.place = header.place
      try work.run { _ in }
    }
    return true
  }

  /// Deletes count as those of entries do; objects that leave the part do not.
  private func checkDeletes(_ answer: PartAnswer, _ introduction: Introduction, _ terms: SyncTerms) throws {
    let deleted = answer.objects.filter { $0.births == nil && !$0.deaths.isEmpty }
    guard deleted.count > MassDeletion.limit else { return }
    let entry = SyncEntry(
      origin: introduction.replica, mark: EntryMark(), previous: EntryMark(),
      changes: deleted.map { ObjectChange($0.object, deaths: $0.deaths) })
    try reading { work in try Removals(allowed: terms.deletes, [:]).check([entry], work) }
  }

  private func take(_ objects: ArraySlice<PartObject>, _ header: PartHeader) throws {
    try changing { work in
      guard let writer = work.transaction as? any BackendWriteTransaction else { return }
      try work.load(objects.map(\.object))
      try work.run { replica throws(StorageError) in replica.take(objects, header.knowledge) }
      guard work.state.place?.isWhole == true else { return }
      let came = objects.filter { $0.births != nil }
      try work.schema.area.put(came.map { (AreaKey.partCame($0.object), []) }, in: writer)
    }
  }

  /// Notes how far the part is known. What did not come of a whole part, and what is needed by nothing any more, goes before.
  private func move(to place: PartPlace, isEnd: Bool, _ header: PartHeader) throws {
    let isWhole = try reading { $0.state.place?.isWhole == true }
    if isWhole, !place.isWhole {
      try forgetWhatDidNotCome(header.knowledge)
      try forgetEntriesOfOthers()
    }
    if isEnd { try forgetLoose(header.knowledge) }
    try changing { work in
      work.state.place = place
      if isEnd { work.state.know(header.knowledge) }
      try work.run { _ in }
    }
    if isWhole, !place.isWhole { try removeCame() }
  }

  private func forgetWhatDidNotCome(_ hub: Knowledge) throws {
    for kind in [AreaKey.Kind.clock, .record] {
      var last: [UInt8]?
      repeat {
        let (absent, next) = try reading { work in try work.absent(kind, from: last, Self.partBatch) }
        try forget(absent, hub)
        last = next
      } while last != nil
    }
  }

  private func forget(_ objects: [ObjectID], _ hub: Knowledge) throws {
    guard !objects.isEmpty else { return }
    try changing { work in
      try work.load(objects)
      try work.run { replica throws(StorageError) in replica.take(objects.map { .absent($0) }[...], hub) }
    }
  }

  /// Objects that are there for others alone, and that no other needs any more.
  private func forgetLoose(_ hub: Knowledge) throws {
    while true {
      let rows = try reading { work in try work.loose(Self.partBatch) }
      if rows.isEmpty { return }
      try changing { work in
        guard let writer = work.transaction as? any BackendWriteTransaction else { return }
        try work.schema.area.put(rows.map { ($0.key, nil) }, in: writer)
        let objects = try rows.map(\.object).filter { object in
          try work.member(object)?.isWanted == false && !work.isReferredTo(object)
        }
        guard !objects.isEmpty else { return }
        try work.load(objects)
        try work.run { replica throws(StorageError) in replica.take(objects.map { .absent($0) }[...], hub) }
      }
    }
  }

  /// Entries of others, from before this store had a part, show objects that are not in it.
  private func forgetEntriesOfOthers() throws {
    try changing { work in
      guard let writer = work.transaction as? any BackendWriteTransaction else { return }
      var rows: [SyncArea.Row] = []
      try work.schema.area.forEach(AreaKey.Kind.log.prefix, in: writer) { key, _ throws(StorageError) in
        if try !work.state.names.contains(StoredEntry.stamp(key).replica) { rows.append((key, nil)) }
        return true
      }
      guard !rows.isEmpty else { return }
      work.state.entries -= rows.count
      try work.schema.area.put(rows + work.state.rows(), in: writer)
    }
  }

  private func removeCame() throws {
    while true {
      let keys = try reading { work in
        var keys: [[UInt8]] = []
        try work.schema.area.forEach(AreaKey.Kind.partCame.prefix, in: work.transaction) {
          key, _ throws(StorageError) in
          keys.append(key)
          return keys.count < 4 * Self.partBatch
        }
        return keys
      }
      if keys.isEmpty { return }
      try changing { work in
        guard let writer = work.transaction as? any BackendWriteTransaction else { return }
        try work.schema.area.put(keys.map { ($0, nil) }, in: writer)
      }
    }
  }
}

/// The messages of an answer with objects of a part, in their order and without a gap.
private struct PartAnswer {
  private(set) var header: PartHeader?
  private(set) var objects: [PartObject] = []
  private(set) var end: (place: PartPlace, isEnd: Bool)?
  private(set) var notices: [SyncMessage] = []
  /// The HLC of the newest stamp.
  private(set) var newest: UInt64 = 0

  init(_ messages: [NumberedMessage]) {
    for (place, numbered) in messages.enumerated() {
      guard Int(numbered.number) == place else { return }
      switch numbered.message {
      case .yours where place == 0: break
      case .partBegin(let header) where place == 1: self.header = header
      case .part(let object) where header != nil && end == nil: objects.append(object)
      case .partAt(let place, let isEnd) where header != nil && end == nil: end = (place, isEnd)
      case .refused where end != nil: notices.append(numbered.message)
      default: return
      }
      newest = max(newest, numbered.message.newest)
    }
  }
}

extension PartObject {
  /// An object of which the hub says nothing.
  fileprivate static func absent(_ object: ObjectID) -> PartObject {
    PartObject(object: object, births: nil, deaths: [:], blanks: [:], isWanted: false, vector: [:])
  }
}

extension SyncReplica {
  /// Takes the hub's word for some objects.
  fileprivate mutating func take(_ objects: ArraySlice<PartObject>, _ hub: Knowledge) {
    for object in objects { take(object, hub) }
    refresh()
  }
}

extension StoredState {
  /// Takes over what a hub knows. Of its own entries a client knows more.
  fileprivate mutating func know(_ hub: Knowledge) {
    var vector = hub.vector
    for name in names {
      let mine = knowledge.mark(name)
      if mine.hlc >= hub.mark(name).hlc { vector[name] = mine == EntryMark() ? nil : mine }
    }
    knowledge = Knowledge(vector, holes: hub.holes)
    let own = trimmed.filter { names.contains($0.key) }
    trimmed = hub.vector.floors.filter { !names.contains($0.key) }.merging(own) { $1 }
    clock = vector.values.reduce(clock) { max($0, $1.hlc) }
  }
}

extension StoredWork {
  /// The objects with records of which a whole part has brought nothing, of a number of records.
  ///
  /// - Returns: The objects, and the key of the record to go on with; nil at the end.
  fileprivate func absent(
    _ kind: AreaKey.Kind, from first: [UInt8]?, _ count: Int
  ) throws(StorageError) -> ([ObjectID], next: [UInt8]?) {
    var objects: [ObjectID] = []
    var seen = 0
    var next: [UInt8]?
    try schema.area.forEach(kind.prefix, from: first, in: transaction) { key, value throws(StorageError) in
      guard seen < count else {
        next = key
        return false
      }
      seen += 1
      objects.append(kind == .clock ? try state.numbers.object(key) : try Self.record(Array(value)[...]).object)
      return true
    }
    var absent: [ObjectID] = []
    for object in objects where try schema.area.value(AreaKey.partCame(object), in: transaction) == nil {
      absent.append(object)
    }
    return (absent, next)
  }

  /// Objects that may be there for nothing any more.
  fileprivate func loose(_ count: Int) throws(StorageError) -> [(key: [UInt8], object: ObjectID)] {
    var rows: [(key: [UInt8], object: ObjectID)] = []
    try schema.area.forEach(AreaKey.Kind.partLoose.prefix, in: transaction) { key, value throws(StorageError) in
      var reader = try SyncReader(Array(value)[...])
      rows.append((key, try reader.object()))
      return rows.count < count
    }
    return rows
  }
}

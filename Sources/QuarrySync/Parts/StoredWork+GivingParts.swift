import Foundation
import QuarryBackend

/// Gives a client what it lacks of its part: SYNC-35 to SYNC-37.
///
/// By its cursor a client gets the objects that were touched since then, each whole and with what it needs; otherwise the whole
/// part, in the order of its models and keys. An object that is not in the part is named to clients of the part alone to which it
/// was given before, and to the client that has written it.
struct PartGiving {
  let work: StoredWork
  let members: PartMembers
  let hello: SyncHello
  /// The objects that are new to the part, which must be stored before the answer leaves.
  private(set) var given: Set<[UInt8]> = []
  private var sent: Set<ObjectID> = []
  private var area: SyncArea { work.schema.area }
  private var transaction: any BackendReadTransaction { work.transaction }

  init(_ work: StoredWork, _ part: BoundPart, _ hello: SyncHello) {
    self.work = work
    self.hello = hello
    members = PartMembers(part, work)
  }

  /// The messages behind the introduction.
  ///
  /// - Parameter append: Takes a message.
  /// - Parameter isFull: Whether the answer ends behind the object that has been given.
  /// - Returns: Whether the asker lacks nothing more.
  mutating func run(
    _ append: (SyncMessage) throws(StorageError) -> Void, isFull: () -> Bool
  ) throws(StorageError) -> Bool {
    let head = try TouchedObjects.head(area, in: transaction)
    var (place, isFresh) = (try known(head), false)
    if place == nil {
      place = PartPlace(part: members.part.id, cursor: head.commits, isWhole: true)
      isFresh = true
    }
    guard var place else { return true }
    if !isFresh, !place.isWhole, place.cursor == head.commits, hello.knowledge == work.state.knowledge { return true }
    try append(.partBegin(PartHeader(knowledge: work.state.knowledge, isFresh: isFresh, place: place)))
    var isEnd = true
    if place.isWhole { isEnd = try giveAll(&place, append, isFull) }
    if isEnd { isEnd = try giveTouched(&place, append, isFull) }
    if isEnd { place.cursor = head.commits }
    try append(.partAt(place, isEnd: isEnd))
    return isEnd
  }

  /// The place of the asker; nil where it must get the part as a whole.
  private func known(_ head: TouchedObjects.Head) throws(StorageError) -> PartPlace? {
    guard let place = hello.place, place.part == members.part.id, place.cursor >= head.floor,
      place.cursor <= head.commits, try GivenObjects.lastUse(of: place.part, area, in: transaction) != nil
    else { return nil }
    return place
  }

  private mutating func giveAll(
    _ place: inout PartPlace, _ append: (SyncMessage) throws(StorageError) -> Void, _ isFull: () -> Bool
  ) throws(StorageError) -> Bool {
    var new = place
    var giving = self
    var isEnd = true
    try members.forEachWanted(after: place.after) { object, row, at throws(StorageError) in
      try giving.give(object, row, isWanted: true, append)
      new.after = at
      isEnd = !isFull()
      return isEnd
    }
    self = giving
    if isEnd { (new.isWhole, new.after) = (false, nil) }
    place = new
    return isEnd
  }

  private mutating func giveTouched(
    _ place: inout PartPlace, _ append: (SyncMessage) throws(StorageError) -> Void, _ isFull: () -> Bool
  ) throws(StorageError) -> Bool {
    var giving = self
    var cursor = place.cursor
    var isEnd = true
    var done: Set<ObjectID> = []
    try TouchedObjects.forEach(after: place.cursor, area, in: transaction) { commit, touches throws(StorageError) in
      if isFull() {
        isEnd = false
        return false
      }
      for touch in touches {
        let isOwn = touch.author.map(hello.names.contains) ?? false
        let objects = [touch.object] + (try members.links(of: touch.object))
        for object in objects where isOwn || done.insert(object).inserted {
          try giving.say(object, isOwn: isOwn && object == touch.object, append)
        }
      }
      cursor = commit
      return true
    }
    self = giving
    place.cursor = cursor
    return isEnd
  }

  /// Says what has become of an object.
  private mutating func say(
    _ object: ObjectID, isOwn: Bool, _ append: (SyncMessage) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard !sent.contains(object), let table = work.schema.tables[object.model] else { return }
    let row = try table.find(object, in: transaction)
    if let row, try members.isWanted(object) { return try give(object, row, isWanted: true, append) }
    // Of what nobody of the part was given, nothing that they have needs it.
    var isKnown = isOwn
    if !isKnown { isKnown = try isGiven(object) }
    guard isKnown else { return }
    if let row, try members.isNeeded(object) { return try give(object, row, isWanted: false, append) }
    // The stamps of a delete are those of an object that was in the part.
    let change = row == nil ? try work.record(of: object, row: nil) : ObjectChange(object)
    let deaths = change.births.isEmpty ? change.deaths : [:]
    try append(
      .part(PartObject(object: object, births: nil, deaths: deaths, blanks: [:], isWanted: false, vector: [:])))
  }

  /// Whether clients of the part may know an object.
  private func isGiven(_ object: ObjectID) throws(StorageError) -> Bool {
    try area.value(GivenObjects.key(members.part.id, object), in: transaction) != nil
  }

  private mutating func give(
    _ object: ObjectID, _ row: SyncRow, isWanted: Bool, _ append: (SyncMessage) throws(StorageError) -> Void
  ) throws(StorageError) {
    for need in try members.needs(of: object, row) where !sent.contains(need) {
      guard let table = work.schema.tables[need.model], let row = try table.find(need, in: transaction) else {
        continue
      }
      try append(try message(need, row, isWanted: members.isWanted(need)))
    }
    guard !sent.contains(object) else { return }
    try append(try message(object, row, isWanted: isWanted))
  }

  private mutating func message(
    _ object: ObjectID, _ row: SyncRow, isWanted: Bool
  ) throws(StorageError) -> SyncMessage {
    sent.insert(object)
    let key = GivenObjects.key(members.part.id, object)
    if try area.value(key, in: transaction) == nil { given.insert(key) }
    let change = try work.record(of: object, row: row)
    return .part(
      PartObject(
        object: object, births: change.births, deaths: change.deaths, blanks: hidden(object, row, change.births),
        isWanted: isWanted, vector: [:]))
  }

  /// The columns that show nil because the object lost an index, with the stamps of their values.
  private func hidden(_ object: ObjectID, _ row: SyncRow, _ births: Births) -> [SyncName: Stamp] {
    guard let model = work.schema.sync.models[object.model], model.blanks.contains(where: { $0 != nil }),
      let flat = FlatObject(model, births)
    else { return [:] }
    var result: [SyncName: Stamp] = [:]
    for case let column? in model.blanks where row[column]?.isNull == true && flat.row[column]?.isNull == false {
      result[column] = flat.stamps[column]
    }
    return result
  }

  /// Whether the asker may see an object.
  func isInside(_ object: ObjectID) throws(StorageError) -> Bool {
    if try members.isWanted(object) { return true }
    guard let table = work.schema.tables[object.model] else { return false }
    guard try table.find(object, in: transaction) != nil else { return false }
    return try members.isNeeded(object)
  }

  /// The rows to store before the answer leaves; none where all is stored.
  func rows(at now: Date) throws(StorageError) -> [SyncArea.Row] {
    var rows: [SyncArea.Row] = given.map { ($0, []) }
    let last = try GivenObjects.lastUse(of: members.part.id, area, in: transaction)
    if last.map({ abs(now.timeIntervalSince($0)) > 86_400 }) ?? true {
      rows += try GivenObjects.using(members.part.id, at: now, area, in: transaction)
    }
    return rows
  }
}

import QuarryBackend
import QuarryQuery

// Lists of links are changed here, each call one statement. A position has room before the next, so that most calls write one
// row. Where there is no room, the rows around the place get new positions. A place in a list is found by passing over the
// entries before it in the index.

extension WriteTransaction {
  /// Removes the object that a reference leads to from a list, as often as it is in it.
  ///
  /// - Returns: The number of its occurrences in the list.
  func remove<M: Model>(_ target: Ref<M>, _ list: LinkList) throws(StorageError) -> Int {
    var query = list.query
    let key = try target.key.storedValue()
    query.predicate = query.predicate.and(
      .compare(.property(PropertyPath(LinkDefinition.target)), .equal, .value(key)))
    query.order = []
    return try deleteRecords(query)
  }

  /// Takes the object at a place out of a list.
  func remove(at place: Int, _ list: LinkList) throws(StorageError) {
    let row = try row(at: place, list)
    try deleteRecords(list.model, [row.id])
  }

  /// Moves the object at a place of a list to another place.
  func move(from place: Int, to other: Int, _ list: LinkList) throws(StorageError) {
    let row = try row(at: place, list)
    _ = try self.row(at: other, list)
    guard place != other else { return }
    // The place in front of which it comes, of the list as it is.
    let position = try position(before: other > place ? other + 1 : other, list)
    try assign(position, to: row.id, list)
  }

  // MARK: - Rows

  /// A list that is changed.
  struct LinkList {
    let model: String
    let owner: Value
    /// Its rows in its order.
    let query: QueryTree
  }

  private struct LinkRow {
    let id: Value
    let position: Int64
  }

  /// Runs a statement on a list, whose errors name the property that has it.
  func change<M: Model, R>(
    _ links: Links<M>, _ body: (LinkList) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    try check()
    do throws(StorageError) {
      let list = LinkList(model: links.model, owner: try links.owner.get(), query: try rows(of: links))
      return try statement { () throws(StorageError) in try body(list) }
    } catch {
      let property = backend.schema.model(named: links.model)?.property(LinkDefinition.owner)
      throw error.ofLinks(links, property?.keyMembers)
    }
  }

  @discardableResult
  func clear(_ list: LinkList) throws(StorageError) -> Int {
    var query = list.query
    query.order = []
    return try deleteRecords(query)
  }

  private func row(at place: Int, _ list: LinkList) throws(StorageError) -> LinkRow {
    guard place >= 0, let row = try rows(from: place, 1, list).first else { throw try pastEnd(place, list) }
    return row
  }

  private func pastEnd(_ place: Int, _ list: LinkList) throws(StorageError) -> StorageError {
    let count = try countRecords(list.query)
    return StorageError(.invalidValue, "there is no position \(place) in a list of \(count)")
  }

  private func rows(
    from place: Int, _ limit: Int?, _ list: LinkList, last: Bool = false
  ) throws(StorageError) -> [LinkRow] {
    var query = list.query
    query.offset = place
    query.limit = limit
    if last { query.order[0].isDescending = true }
    return try fetchRecords(query, [LinkDefinition.id, LinkDefinition.position]).map { record in
      LinkRow(id: record.values[0], position: record.values[1].intValue.map(Int64.init) ?? 0)
    }
  }

  /// A position before the position of a place, and after the position of the place in front of it.
  private func position(before place: Int, _ list: LinkList) throws(StorageError) -> Int64 {
    if let position = try freePosition(before: place, list) { return position }
    try makeRoom(at: place, list)
    guard let position = try freePosition(before: place, list) else {
      throw StorageError(.limitExceeded, "the list has no room for another position")
    }
    return position
  }

  private func freePosition(before place: Int, _ list: LinkList) throws(StorageError) -> Int64? {
    guard place >= 0 else { throw try pastEnd(place, list) }
    let around = try rows(from: Swift.max(0, place - 1), place == 0 ? 1 : 2, list)
    if place == 0 {
      guard let first = around.first else { return 0 }
      let (position, isTooLow) = first.position.subtractingReportingOverflow(LinkDefinition.gap)
      return isTooLow ? nil : position
    }
    guard let before = around.first?.position else { throw try pastEnd(place, list) }
    guard around.count == 2 else {
      let (position, isTooHigh) = before.addingReportingOverflow(LinkDefinition.gap)
      return isTooHigh ? nil : position
    }
    // Halves first: the difference of two positions may be more than a number has.
    let after = around[1].position
    let middle = (before >> 1) + (after >> 1) + (before & after & 1)
    return middle > before && middle < after ? middle : nil
  }

  func insert<M: Model>(
    _ targets: [Ref<M>], at place: Int?, _ list: LinkList
  ) throws(StorageError) {
    guard !targets.isEmpty else { return }
    defer { foreseen = [:] }
    var position: Int64
    if let place {
      position = try self.position(before: place, list)
    } else {
      var last = try lastRow(list, before: targets)?.position ?? -LinkDefinition.gap
      if last > .max - LinkDefinition.gap * Int64(targets.count + 1) {
        try renumber(list)
        last = try rows(from: 0, 1, list, last: true).first?.position ?? -LinkDefinition.gap
      }
      position = last + LinkDefinition.gap
    }
    var id = try firstID(for: targets.count, list)
    let names = [LinkDefinition.id, LinkDefinition.owner, LinkDefinition.target, LinkDefinition.position]
    guard let shared = RecordNames(names) else { return }
    var added: [Record] = []
    added.reserveCapacity(targets.count)
    for target in targets {
      let values: [Value] = [.int(id), list.owner, try target.key.storedValue(), .int(position)]
      added.append(Record(names: shared, values: values))
      id += 1
      position += LinkDefinition.gap
    }
    do throws(StorageError) {
      try insertRecords(list.model, added)
    } catch {
      guard error.code == .uniqueViolation else { throw error }
      throw StorageError(
        error.code, "the object is already in the list", model: list.model, key: try linkedTwice(added, list),
        cause: error)
    }
  }

  /// The last row of a list that gets more targets.
  ///
  /// Where each call may be a round trip, the same call asks for the objects that the new rows refer to.
  private func lastRow<M: Model>(_ list: LinkList, before targets: [Ref<M>]) throws(StorageError) -> LinkRow? {
    guard context.isConcurrent, let references else { return try rows(from: 0, 1, list, last: true).first }
    let model = try modelSchema(list.model)
    var query = list.query
    query.limit = 1
    query.order[0].isDescending = true
    var asked: [ModelID: Set<Key>] = [:]
    for reference in references.references(of: model.id) {
      let isOwner = reference.property.name == LinkDefinition.owner
      for value in isOwner ? [list.owner] : targets.compactMap({ try? $0.key.storedValue() }) {
        if let key = try? Key.primary(value, reference.target) { asked[reference.target.id, default: []].insert(key) }
      }
    }
    let groups = asked.map { (model: $0.key, keys: Array($0.value)) }
    let binder = QueryBinder(model)
    let bound = try describing(model) { () throws(StorageError) in try bind(query, model, binder) }
    let answers = try writer.answers([.rows(bound)] + groups.map { .missing($0.model, $0.keys) })
    for (group, answer) in zip(groups, answers.dropFirst()) {
      guard case .missing(let places) = answer else { continue }
      foreseen[group.model] = Set(group.keys).subtracting(places.map { group.keys[$0] })
    }
    guard case .rows(let rows)? = answers.first, let row = rows.first else { return nil }
    let layout = RowLayout(model)
    let slots = [try binder.slot(LinkDefinition.id), try binder.slot(LinkDefinition.position)]
    let values = try row.bytes.withBytes { (bytes) throws(StorageError) in
      try Self.values(bytes, slots, layout, model)
    }
    return LinkRow(id: values[0], position: values[1].intValue.map(Int64.init) ?? 0)
  }

  /// The first of as many unused numbers of links.
  ///
  /// With many writers it is random. If each writer took the number after the greatest one, any two of them would conflict.
  private func firstID(for count: Int, _ list: LinkList) throws(StorageError) -> Int64 {
    if context.isConcurrent { return .random(in: 1...(1 << 62)) }
    let newest = QueryTree(model: list.model, order: [.init(LinkDefinition.id, isDescending: true)], limit: 1)
    let greatest = try fetchRecords(newest, [LinkDefinition.id]).first?.values[0].intValue ?? 0
    let (id, isFull) = Int64(greatest).addingReportingOverflow(1)
    guard !isFull, Int64(count) < .max - id else {
      throw StorageError(.limitExceeded, "the ids of the links are exhausted")
    }
    return id
  }

  /// The key of the first object that would be in a list twice, as text.
  private func linkedTwice(_ rows: [Record], _ list: LinkList) throws(StorageError) -> String? {
    var seen: Set<Value> = []
    for row in rows {
      let target = row.values[2]
      var query = list.query
      query.predicate = query.predicate.and(
        .compare(.property(PropertyPath(LinkDefinition.target)), .equal, .value(target)))
      let count = try countRecords(query)
      if count > 0 || !seen.insert(target).inserted {
        return KeyText.text(target, try modelSchema(list.model).property(LinkDefinition.target)?.keyMembers)
      }
    }
    return nil
  }

  /// Gives the rows around a place positions with room between them: as few rows as have room in their midst.
  ///
  /// - Complexity: O(log n) rows on average over many calls, because a wider part has more room.
  private func makeRoom(at place: Int, _ list: LinkList) throws(StorageError) {
    var width = 16
    while true {
      let first = Swift.max(0, place - width)
      let around = try rows(from: first, 2 * width, list)
      // The whole list has the room behind its end.
      guard first > 0 || around.count == 2 * width, let before = around.first, let after = around.last else { break }
      let (span, overflows) = after.position.subtractingReportingOverflow(before.position)
      let gap = overflows ? .max / Int64(around.count) : span / Int64(around.count - 1)
      if gap >= LinkDefinition.leastGap {
        for (place, row) in around.dropLast().enumerated().dropFirst() {
          try assign(before.position + Int64(place) * gap, to: row.id, list)
        }
        return
      }
      width *= 4
    }
    try renumber(list)
  }

  /// Gives the rows of a list positions with room between them.
  private func renumber(_ list: LinkList) throws(StorageError) {
    for (place, row) in try rows(from: 0, nil, list).enumerated() {
      try assign(Int64(place) * LinkDefinition.gap, to: row.id, list)
    }
  }

  private func assign(_ position: Int64, to id: Value, _ list: LinkList) throws(StorageError) {
    let query = QueryTree(
      model: list.model, predicate: .compare(.property(PropertyPath(LinkDefinition.id)), .equal, .value(id)))
    try assignRecords(query, [AssignmentTree(LinkDefinition.position, .set, .int(position))])
  }
}

extension ModelSchema {
  fileprivate func property(_ name: String) -> PropertySchema? { slot(named: name).map { properties[$0] } }
}

extension StorageError {
  /// The error of a row of links as one of the property that has them.
  fileprivate func ofLinks<M: Model>(_ links: Links<M>, _ members: [KeyMember]?) -> StorageError {
    guard model == nil || model == links.model else { return self }
    func named(_ code: Code, _ message: String, key: String?) -> StorageError {
      StorageError(code, message, model: links.ownerModel, property: links.property, key: key, cause: self)
    }
    switch code {
    case .invalidQuery where model == links.model:
      return named(.schemaMismatch, "the store was not opened for the links \(links.model)", key: nil)
    // The key in the error of a reference belongs to the object that has it: the owner's key, and not the link's.
    case .missingReference:
      return named(code, message, key: (try? links.owner.get()).flatMap { KeyText.text($0, members) })
    default: return named(code, message, key: key)
    }
  }
}

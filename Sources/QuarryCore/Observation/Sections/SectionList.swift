import QuarryBackend

/// An object of a list in sections, with the value that its section has.
struct SectionedObject<Key: Storable, M: Model>: Sendable {
  let object: M
  let key: Key
  /// The value as it is compared.
  let value: Value
}

/// The sections of a list whose objects come in the order of their sections.
struct SectionList<Key: Storable, M: Model>: Sendable {
  private(set) var sections: [GroupedObjects<Key, M>] = []
  private var values: [Value] = []
  /// The place of the first object of each section in the list, and the number of all objects.
  private var starts: [Int] = []

  init() {
    starts = [0]
  }

  init(_ objects: [SectionedObject<Key, M>]) {
    for (place, object) in objects.enumerated() {
      if values.last != object.value {
        values.append(object.value)
        starts.append(place)
        sections.append(GroupedObjects(key: object.key, elements: []))
      }
      sections[sections.count - 1].elements.append(object.object)
    }
    starts.append(objects.count)
  }

  /// The section of a place of the list, and the place in it.
  private func find(_ place: Int) -> (section: Int, place: Int) {
    let section = starts.indices.partitionPoint { starts[$0] <= place } - 1
    return (section, place - starts[section])
  }

  /// Takes the sections after a change of the list.
  ///
  /// - Returns: The change of the sections.
  mutating func take(_ change: QueryChange<SectionedObject<Key, M>>) -> SectionsChange<Key, M> {
    let (old, new) = (self, SectionList(change.objects))
    self = new
    var result = SectionsChange(version: change.version, isInitial: change.isInitial, sections: new.sections)
    if change.isInitial { return result }
    let newPlaces = Dictionary(new.values.enumerated().map { ($1, $0) }) { first, _ in first }
    let oldPlaces = Dictionary(old.values.enumerated().map { ($1, $0) }) { first, _ in first }
    for (place, value) in old.values.enumerated() where newPlaces[value] == nil {
      result.deletions.append(.init(place: place, section: old.sections[place]))
    }
    for (place, value) in new.values.enumerated() where oldPlaces[value] == nil {
      result.insertions.append(.init(place: place, section: new.sections[place]))
    }
    let (touchedOld, touchedNew) = Self.touched(change, old, new)
    let newPlaceOf = Self.newPlaces(change, count: old.starts[old.starts.count - 1])
    for (place, value) in new.values.enumerated() {
      guard let before = oldPlaces[value], touchedNew.contains(place) || touchedOld.contains(before) else { continue }
      let update = Self.section(old, before, new, place, newPlaceOf, change)
      if !update.isUnchanged { result.updates.append(.init(oldPlace: before, place: place, change: update)) }
    }
    return result
  }

  /// The sections of the old and the new list that a change concerns.
  private static func touched(
    _ change: QueryChange<SectionedObject<Key, M>>, _ old: SectionList, _ new: SectionList
  ) -> (old: Set<Int>, new: Set<Int>) {
    var (touchedOld, touchedNew): (Set<Int>, Set<Int>) = ([], [])
    for deletion in change.deletions { touchedOld.insert(old.find(deletion.place).section) }
    for insertion in change.insertions { touchedNew.insert(new.find(insertion.place).section) }
    for move in change.moves {
      touchedOld.insert(old.find(move.from).section)
      touchedNew.insert(new.find(move.to).section)
    }
    for update in change.updates {
      touchedOld.insert(old.find(update.oldPlace).section)
      touchedNew.insert(new.find(update.place).section)
    }
    return (touchedOld, touchedNew)
  }

  /// For each place of the old list its place in the new one; nil for an object that is gone.
  private static func newPlaces(_ change: QueryChange<SectionedObject<Key, M>>, count: Int) -> [Int?] {
    var result = [Int?](repeating: nil, count: count)
    var isTaken = [Bool](repeating: false, count: count)
    for deletion in change.deletions { isTaken[deletion.place] = true }
    for move in change.moves {
      isTaken[move.from] = true
      result[move.from] = move.to
    }
    var isPut = [Bool](repeating: false, count: change.objects.count)
    for insertion in change.insertions { isPut[insertion.place] = true }
    for move in change.moves { isPut[move.to] = true }
    var next = 0
    for place in 0..<count where !isTaken[place] {
      while isPut[next] { next += 1 }
      result[place] = next
      next += 1
    }
    return result
  }

  /// The change of a section that is in both lists.
  private static func section(
    _ old: SectionList, _ before: Int, _ new: SectionList, _ place: Int, _ newPlaceOf: [Int?],
    _ change: QueryChange<SectionedObject<Key, M>>
  ) -> QueryChange<M> {
    let (oldStart, newStart) = (old.starts[before], new.starts[place])
    let newRange = newStart..<new.starts[place + 1]
    var survivors: [ListChange.Survivor] = []
    var deletions: [Int] = []
    var isHere = [Bool](repeating: false, count: newRange.count)
    for number in old.sections[before].elements.indices {
      if let found = newPlaceOf[oldStart + number], newRange.contains(found) {
        survivors.append(ListChange.Survivor(old: number, new: found - newStart))
        isHere[found - newStart] = true
      } else {
        deletions.append(number)
      }
    }
    let insertions = isHere.indices.filter { !isHere[$0] }
    let steps = ListChange(deletions: deletions, insertions: insertions, survivors: survivors)
    let (oldElements, elements) = (old.sections[before].elements, new.sections[place].elements)
    var result = QueryChange<M>(version: change.version, isInitial: false, objects: elements)
    result.deletions = deletions.map { .init(place: $0, object: oldElements[$0]) }
    result.insertions = insertions.map { .init(place: $0, object: elements[$0]) }
    result.moves = steps.moves.map { .init(from: $0.from, to: $0.to) }
    let oldRange = oldStart..<(oldStart + oldElements.count)
    for update in change.updates where newRange.contains(update.place) && oldRange.contains(update.oldPlace) {
      result.updates.append(
        .init(
          oldPlace: update.oldPlace - oldStart, place: update.place - newStart, old: update.old.object,
          new: update.new.object, properties: update.properties))
    }
    return result
  }
}

extension QueryChange {
  /// Whether nothing differs.
  fileprivate var isUnchanged: Bool { deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty }
}

import QuarryBackend
import QuarrySync

extension Forger {
  /// Changes the messages of an honest answer.
  mutating func forge(_ kind: HostileKind, _ messages: inout [NumberedMessage]) {
    switch kind {
    case .order:
      for _ in 0...number(3) { disorder(&messages) }
      // Mostly the numbers are right, or nothing behind the first wrong one is looked at.
      guard !chance(4) else { return }
    case .introductions:
      guard case .yours(var introduction)? = messages.first?.message else { return }
      forge(&introduction)
      messages[0].message = .yours(introduction)
    case .knowledge: forgeKnowledge(&messages)
    default:
      var isForged = false
      for place in messages.indices {
        switch messages[place].message {
        case .log(var entry) where chance(2):
          forge(kind, &entry)
          messages[place].message = .log(entry)
        case .rows(var change, let after, let header) where chance(2):
          forge(kind, &change)
          messages[place].message = .rows(change, after: after, header)
        case .refused(let refusal, var changes, let vector) where !changes.isEmpty && chance(2):
          forge(kind, &changes[number(changes.count)])
          messages[place].message = .refused(refusal, changes, vector)
        default: continue
        }
        isForged = true
      }
      if !isForged { append(newEntry(kind), to: &messages) }
    }
    renumber(&messages)
  }

  private func renumber(_ messages: inout [NumberedMessage]) {
    for place in messages.indices { messages[place].number = UInt32(place) }
  }

  /// Puts a message behind the entries and rows, and before refusals.
  private mutating func append(_ message: SyncMessage, to messages: inout [NumberedMessage]) {
    let place = messages.firstIndex { if case .refused = $0.message { true } else { false } } ?? messages.count
    messages.insert(NumberedMessage(0, message), at: place)
  }

  private mutating func disorder(_ messages: inout [NumberedMessage]) {
    guard !messages.isEmpty else { return }
    let place = number(messages.count)
    switch number(5) {
    case 0: messages.remove(at: place)
    case 1: messages.insert(messages[place], at: number(messages.count))
    case 2: messages.shuffle(using: &generator)
    case 3: messages[place].number = UInt32(truncatingIfNeeded: generator.next())
    default: messages.swapAt(place, number(messages.count))
    }
  }

  // MARK: Entries

  /// An entry at the next place of a replica.
  private mutating func newEntry(_ kind: HostileKind) -> SyncMessage {
    let origin = replica()
    let last = hello.knowledge.mark(origin)
    let stamp = Stamp(max(last.hlc &+ 1, soundHLC()), origin)
    var entry = SyncEntry(
      origin: origin, mark: EntryMark(stamp.hlc, generator.next() >> 1), previous: last,
      changes: [change(of: object(), stamp)])
    if kind != .origins { forge(kind, &entry) }
    return .log(entry)
  }

  private mutating func forge(_ kind: HostileKind, _ entry: inout SyncEntry) {
    switch kind {
    case .origins:
      entry.origin = replica()
      if chance(2) { entry.previous = hello.knowledge.mark(entry.origin) }
    case .places:
      switch number(5) {
      case 0: entry.mark = hello.knowledge.mark(entry.origin)
      case 1: entry.previous = mark()
      case 2: entry.mark.tag = generator.next()
      case 3: entry.mark.hlc &-= UInt64(number(9))
      default: (entry.isHollow, entry.isRepair) = (chance(2), chance(2))
      }
    case .times:
      let late = hlc()
      switch number(4) {
      case 0: entry.mark.hlc = late
      case 1: entry.previous.hlc = late
      default: for place in entry.changes.indices where chance(2) { forge(kind, &entry.changes[place]) }
      }
    default:
      if entry.changes.isEmpty || chance(3) {
        var change = change(of: object(), Stamp(entry.mark.hlc, entry.origin))
        forge(kind, &change)
        entry.changes.append(change)
      } else {
        forge(kind, &entry.changes[number(entry.changes.count)])
      }
      // Mostly in their order, each once, as bytes must have them.
      guard !chance(20) else { return }
      var seen: Set<ObjectID> = []
      entry.changes = entry.changes.filter { seen.insert($0.object).inserted }.sorted { $0.object < $1.object }
    }
  }

  // MARK: Changes

  private mutating func forge(_ kind: HostileKind, _ change: inout ObjectChange) {
    switch kind {
    case .objects:
      let model = chance(2) ? self.model() : change.object.model
      change.object = ObjectID(model, chance(2) ? strangeKey() : key(model))
    case .values:
      for (birth, record) in change.births {
        for column in record.columns.keys where chance(3) {
          change.births[birth]?.columns[column]?.value = value()
        }
        if chance(3) { change.births[birth]?.columns[name()] = Register(birth, value()) }
        if chance(4) { change.births[birth]?.sets["tags", default: [:]][value()] = SetElement(1, birth) }
      }
    case .times:
      let late = Stamp(hlc(), chance(2) ? replica() : change.births.keys.first?.replica ?? .none)
      for (birth, record) in change.births {
        for column in record.columns.keys where chance(3) { change.births[birth]?.columns[column]?.stamp = late }
        if chance(3) {
          change.births[birth] = nil
          change.births[late] = record
        }
      }
      if chance(3) { change.deaths[late] = Death(stamp: stamp()) }
    default: forgeRecords(&change)
    }
  }

  private mutating func forgeRecords(_ change: inout ObjectChange) {
    for _ in 0...number(2) {
      let stamp = stamp()
      let (plus, minus) = (generator.next(), chance(2) ? .max : generator.next())
      switch number(6) {
      case 0: change.births[stamp] = BirthRecord(root: self.stamp(), isWhole: chance(2))
      case 1: change.deaths[stamp] = Death(stamp: self.stamp(), columns: [name(): self.stamp()])
      case 2: change.births = [:]
      case 3:
        for birth in change.births.keys {
          change.births[birth]?.root = stamp
          change.births[birth]?.isWhole = chance(2)
        }
      case 4:
        for birth in change.births.keys {
          change.births[birth]?.counts[chance(2) ? "views" : name(), default: [:]][replica()] = Count(
            plus: plus, minus: minus, hlc: soundHLC())
        }
      default:
        for birth in change.births.keys {
          change.births[birth]?.sets[chance(2) ? "tags" : name(), default: [:]][chance(2) ? "red" : value()] =
            SetElement([0, 1, 2, .max, .max - 1][number(5)], stamp)
        }
      }
    }
  }

  // MARK: Knowledge

  private mutating func vector() -> VersionVector {
    var vector = chance(2) ? hello.knowledge.vector : [:]
    for _ in 0..<number(4) { vector[replica()] = mark() }
    return vector
  }

  private mutating func knowledge() -> Knowledge {
    var knowledge = Knowledge(vector())
    for _ in 0..<number(3) { knowledge.holes.insert(stamp()) }
    return knowledge
  }

  private mutating func header() -> RowsHeader {
    RowsHeader(
      knowledge: knowledge(), collected: chance(2) ? [:] : [replica(): hlc()], isWhole: chance(2))
  }

  private mutating func forgeKnowledge(_ messages: inout [NumberedMessage]) {
    switch number(6) {
    case 0: append(.end(header(), after: chance(2) ? nil : object()), to: &messages)
    case 1:
      let object = object()
      append(.rows(change(of: object, stamp()), after: chance(2) ? nil : self.object(), header()), to: &messages)
    case 2: append(.rows(ObjectChange(object()), after: nil, header()), to: &messages)
    case 3:
      // A refusal of an entry of the receiver, or of another one.
      let origin = replica()
      let mark = chance(2) ? hello.knowledge.mark(origin) : mark()
      let object = object()
      messages.append(
        NumberedMessage(
          0,
          .refused(
            Refusal(
              origin: origin, mark: mark, void: generator.next(), objects: [object],
              reason: String(repeating: "no ", count: number(2_000))), [change(of: object, stamp())],
            chance(2) ? hello.knowledge.vector : vector())))
    case 4:
      append(
        .log(
          SyncEntry(
            origin: replica(), mark: EntryMark(soundHLC(), generator.next()), previous: EntryMark(), changes: [],
            isHollow: true)), to: &messages)
    default:
      for place in messages.indices {
        switch messages[place].message {
        case .rows(let change, let after, _): messages[place].message = .rows(change, after: after, header())
        case .end(_, let after): messages[place].message = .end(header(), after: after)
        default: break
        }
      }
    }
  }

  private mutating func forge(_ introduction: inout Introduction) {
    switch number(6) {
    case 0: introduction.replica = replica()
    case 1:
      let names = hello.names + [replica()]
      introduction.known.append(
        KnownOrigin(
          name: names[number(names.count)], last: mark(), tags: chance(2) ? [:] : [soundHLC(): generator.next()],
          trimmed: chance(2) ? 0 : hlc(),
          voids: chance(2) ? [] : [KnownOrigin.Void(mark: mark(), void: generator.next())]))
    case 2:
      guard !introduction.known.isEmpty else { return }
      let place = number(introduction.known.count)
      switch number(3) {
      case 0: introduction.known[place].last = mark()
      case 1: introduction.known[place].trimmed = hlc()
      default: for hlc in introduction.known[place].tags.keys { introduction.known[place].tags[hlc] = generator.next() }
      }
    case 3: introduction.doubts.append(Introduction.Doubt(origin: replica(), mark: mark()))
    case 4: introduction.session = generator.next()
    default:
      let column = MergeRules.Column(model(), name())
      introduction.rules = MergeRules([column: MergeRule(rawValue: UInt8(number(5))) ?? .latest])
    }
  }

  /// What a peer asks with.
  mutating func forge(_ hello: inout SyncHello) {
    for _ in 0...number(2) {
      switch number(9) {
      case 0: hello.replica = replica()
      case 1: hello.names.append(replica())
      case 2: hello.knowledge = knowledge()
      case 3: hello.knowledge.vector[replica()] = mark()
      case 4: hello.collected[replica()] = hlc()
      case 5: hello.progress = RowsProgress(object: ObjectID(model(), strangeKey()), header: header())
      case 6: (hello.cursor, hello.time) = (generator.next(), generator.next())
      case 7: hello.infersDeletes = chance(2)
      default: hello.role = SyncRole.allCases[number(3)]
      }
    }
  }
}

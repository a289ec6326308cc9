import QuarryBackend

@testable import QuarrySync

/// A difference between a trace and what happens here.
struct TraceMismatch: Error, CustomStringConvertible {
  var description: String
}

/// Replays a history of the specification and compares each step: `docs/sync/spec/README.md` describes the lines.
struct TraceReplay {
  /// A fault that is planted in the replicas.
  enum Fault: CaseIterable {
    case seedsAreStamped, groupsAreIgnored, maximumIsLatest, uniqueIndexesAreIgnored, denyCascades, anyClockIsBelieved
    case clientsKnowNoHub, holesAreRead
  }

  private let world = World()
  private let head: JSON
  private let fault: Fault?
  private var replicas: [SyncReplica] = []
  private var saved: [Int: SyncReplica] = [:]
  private var answers: [Int: (session: UInt64, messages: [NumberedMessage])] = [:]
  /// The last state that the trace has of each replica.
  private var expected: [Int: JSON] = [:]
  private var line = 0
  /// The replica that the last step changed.
  private var active: Int?
  private(set) var steps = 0

  init(_ head: JSON, fault: Fault? = nil) {
    self.head = head
    self.fault = fault
    let hasHub = head["hub"]?.bool ?? false
    for place in 0..<(head["replicas"]?.int ?? 0) {
      var environment = world.environment(place)
      if fault == .anyClockIsBelieved { environment.scale.ahead = 100_000 }
      var replica = SyncReplica(
        world.name(), Models.first.with(fault), environment, isHub: hasHub && place == 0,
        hasHub: hasHub && place > 0 && fault != .clientsKnowNoHub)
      replica.learn(Models.rules)
      if head["policy"]?.bool == true, place == 0 { replica.policy = { Models.policy($0, $1, $2) } }
      if head["scope"]?.bool == true, place > 0 { replica.part = Models.part(place - 1) }
      replicas.append(replica)
    }
  }

  /// - Parameter lines: The lines behind the head.
  mutating func run(_ lines: some Sequence<some StringProtocol>) throws {
    for text in lines {
      line += 1
      let step = try JSON(text)
      if let state = step["state"] {
        expected[state["replica"]?.int ?? 0] = state
      } else if let end = step["end"] {
        try compareActive()
        for place in replicas.indices { try compare(place) }
        for last in end.list {
          let replica = replicas[last["replica"]?.int ?? 0]
          let content = SyncDigest.content(replica.tables).description
          try expect(content.hasPrefix(last["digest"]?.text ?? "-"), "the tables differ")
          let agreement = SyncDigest.agreement(replica.records).description
          try expect(agreement.hasPrefix(last["agreement"]?.text ?? "-"), "the records differ")
        }
        return
      } else {
        try compareActive()
        active = nil
        try perform(step)
        steps += 1
      }
    }
    throw TraceMismatch(description: "the trace has no end")
  }

  private func expect(_ isTrue: Bool, _ message: @autoclosure () -> String) throws {
    if !isTrue {
      throw TraceMismatch(
        description: "\(head["profile"]?.text ?? "") \(head["seed"]?.int ?? 0), line \(line): \(message())")
    }
  }

  private mutating func perform(_ step: JSON) throws {
    let place = step["replica"]?.int ?? 0
    switch step["do"]?.text ?? "" {
    case "write": try write(step, place)
    case "ask": try ask(step, place)
    case "take": try take(step, place)
    case "time": world.now = Int64(step["now"]?.int ?? 0)
    case "skew": world.skew(place, Int64(step["skew"]?.int ?? 0))
    case "trim":
      let kept = (step["log"]?.list ?? []).map { Stamp(UInt64($0[1].int), ReplicaID(name: $0[0].text)) }
      replicas[place].trim(keeping: step["keep"]?.int ?? 0) { kept.contains($0.stamp) }
      try expect(replicas[place].log.map(\.stamp) == kept, "another log is left")
    case "collect": replicas[place].collect()
    case "save": saved[place] = replicas[place]
    case "restore", "clone": try restore(step, place)
    case "upgrade":
      replicas[place].upgrade(Models.second)
      active = place
    case "heal":
      world.skew(place, 0)
      replicas[place].heal()
      active = place
    case "settle":
      try compareActive()
      world.now = Int64(step["now"]?.int ?? 0)
      world.clearSkews()
      let schema = head["profile"]?.text == "schema" ? Models.second : replicas[0].schema
      for place in replicas.indices {
        replicas[place].upgrade(schema)
        replicas[place].heal()
      }
    default: try expect(false, "an unknown step")
    }
  }

  private mutating func write(_ step: JSON, _ place: Int) throws {
    var draft = Draft(replicas[place])
    var isValid = true
    for operation in step["ops"]?.list ?? [] where isValid {
      let object = operation[1].object
      switch operation[0].text {
      case "insert":
        isValid = draft.insert(object, operation[2].row, isSeed: operation[3].bool && fault != .seedsAreStamped)
      case "update": isValid = draft.update(object, operation[2].row)
      default: isValid = draft.delete(object)
      }
    }
    let entry = isValid ? try draft.commit(&replicas[place]) : nil
    let expected = step["entry"].flatMap { $0.isNull ? nil : UInt64($0.int) }
    try expect(entry?.mark.hlc == expected, "the entry is \(entry?.mark.hlc ?? 0)")
    active = place
  }

  private mutating func ask(_ step: JSON, _ place: Int) throws {
    let asker = step["by"]?.int ?? 0
    let hello = replicas[asker].hello()
    // Through the bytes, so that the formats are compared too.
    guard case .hello(let sent)? = try SyncFrame.decode(SyncFrame.hello(hello).encoded()).first else { return }
    try expect(sent == hello, "the hello changed on its way")
    let messages = replicas[asker].part.map { replicas[place].servePart(sent, $0) } ?? replicas[place].serve(sent)
    let wanted = (step["messages"]?.list ?? []).map { message in message.list.map { String(describing: $0.raw) } }
    try expect(messages.map(\.traceForm) == wanted, "the answer is \(messages.map(\.traceForm))")
    answers[step["answer"]?.int ?? 0] = (hello.session, messages)
  }

  private mutating func take(_ step: JSON, _ place: Int) throws {
    guard let answer = answers[step["answer"]?.int ?? 0] else { return try expect(false, "an unknown answer") }
    let unreadable = Set((step["unreadable"]?.list ?? []).map(\.int))
    var messages: [NumberedMessage] = []
    for number in (step["messages"]?.list ?? []).map(\.int) {
      try expect(answer.messages.indices.contains(number), "no message \(number)")
      var message = answer.messages[number]
      if unreadable.contains(number), fault != .holesAreRead, case .log(var entry) = message.message {
        entry.changes = []
        entry.isHollow = true
        message.message = .log(entry)
      }
      messages.append(message)
    }
    let arrived = try SyncReplica.messages(SyncFrame.decode(SyncFrame.encode(messages)))
    try expect(arrived == messages, "messages changed on their way")
    let refused = replicas[place].receive(answer.session, arrived, batch: step["batch"]?.int ?? 1)
    try expect(refused == step["refused"]?.int, "\(refused) were refused")
    try expect(Integrity.problems(replicas[place].tables, replicas[place].schema).isEmpty, "a constraint is broken")
    active = place
  }

  private mutating func restore(_ step: JSON, _ place: Int) throws {
    let isClone = step["of"] != nil
    guard var copy = isClone ? replicas[step["of"]?.int ?? 0] : saved[place] else {
      return try expect(false, "nothing was saved")
    }
    copy.reopened()
    if !isClone { copy.epoch = replicas[place].epoch }
    copy.environment = world.environment(place)
    if step["noticed"]?.bool == true { copy.restored() }
    if isClone { replicas.append(copy) } else { replicas[place] = copy }
    try expect(copy.id.name == step["name"]?.text, "the name is \(copy.id.name)")
    active = place
  }

  private func compareActive() throws {
    if let active { try compare(active) }
  }

  private func compare(_ place: Int) throws {
    guard let state = expected[place] else { return try expect(false, "no state of \(place)") }
    let replica = replicas[place]
    try expect(replica.id.name == state["name"]?.text, "the name is \(replica.id.name)")
    let vector = Dictionary(uniqueKeysWithValues: replica.knowledge.vector.map { ($0.key.name, Int($0.value.hlc)) })
    try expect(vector == state["vector"]?.members.mapValues(\.int), "the vector is \(vector)")
    let held = Set(replica.view.held().map { [$0.object.traceName, $0.reason.rawValue] })
    try expect(held == Set((state["held"]?.list ?? []).map { $0.list.map(\.text) }), "held is \(held)")
    let lost = Set(replica.lostEdits.map(\.traceForm))
    let wanted = Set(
      (state["lost"]?.list ?? []).map { edit in
        "\(edit[0].text) \(edit[1][0].int) \(edit[1][1].text) \(edit[2].text) \(edit[3][0].int) \(edit[3][1].text) \(edit[4].value)"
      })
    try expect(lost == wanted, "lost edits are \(lost), not \(wanted)")
    if let rows = state["rows"]?.members {
      let mine = Dictionary(uniqueKeysWithValues: replica.tables.map { ($0.key.traceName, $0.value) })
      for (name, row) in rows { try expect(mine[name] == row.row, "\(name) is \(String(describing: mine[name]))") }
    }
    let digest = SyncDigest.content(replica.tables).description
    try expect(digest.hasPrefix(state["digest"]?.text ?? "-"), "the tables of \(replica.id.name) differ")
  }
}

extension NumberedMessage {
  /// The message as a trace has it.
  fileprivate var traceForm: [String] {
    switch message {
    case .yours: ["yours"]
    case .log(let entry): ["log", entry.origin.name, "\(entry.mark.hlc)"]
    case .rows(let change, _, _): ["rows", change.object.traceName]
    case .end: ["end"]
    case .part(let part): ["part", part.object.traceName]
    case .partEnd: ["part end"]
    case .partBegin, .partAt: ["of stores"]
    case .refused(let refusal, _, _): ["refused", refusal.origin.name, "\(refusal.mark.hlc)"]
    }
  }
}

extension LostEdit {
  fileprivate var traceForm: String {
    let value: Value =
      switch content {
      case .value(let value), .element(let value): value
      case .counted(let plus, let minus): .array([Value(integer: plus), Value(integer: minus)])
      }
    return
      "\(object.traceName) \(birth.hlc) \(birth.replica.name) \(column.text) \(stamp.hlc) \(stamp.replica.name) \(value)"
  }
}

extension SyncSchema {
  /// The schema with a planted fault.
  fileprivate func with(_ fault: TraceReplay.Fault?) -> SyncSchema {
    let changed = models.values.sorted { $0.name < $1.name }.map { model in
      let columns = model.columns.map { column in
        var column = column
        if fault == .maximumIsLatest, column.rule == .maximum { column.rule = .latest }
        if fault == .denyCascades, column.reference?.rule == .deny { column.reference?.rule = .cascade }
        return column
      }
      return SyncModel(
        model.name, rank: model.rank, columns, uniques: fault == .uniqueIndexesAreIgnored ? [] : model.uniques,
        groups: fault == .groupsAreIgnored ? [] : model.groups)
    }
    return (try? SyncSchema(changed)) ?? self
  }
}

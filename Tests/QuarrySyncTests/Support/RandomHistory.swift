import QuarryBackend

@testable import QuarrySync

/// Replicas that write at random and exchange bytes over connections that lose, repeat, delay, cut and shuffle messages.
struct RandomHistory {
  struct Broken: Error, CustomStringConvertible {
    var description: String
  }

  let world: World
  var replicas: [SyncReplica] = []
  private let hasHub: Bool
  private var late: [Int: [(session: UInt64, messages: [NumberedMessage])]] = [:]
  private(set) var entries = 0

  init(seed: UInt64, replicas count: Int = 3, hasHub: Bool = false, resolves: Bool = false) {
    world = World(seed: seed)
    self.hasHub = hasHub
    for place in 0..<count {
      replicas.append(
        SyncReplica(
          world.name(), Models.first, world.environment(place), isHub: hasHub && place == 0,
          hasHub: hasHub && place > 0))
    }
    for model in resolves ? Array(Models.first.models.keys) : [] { replicas[0].resolve(model) { $0.theirs } }
  }

  mutating func run(steps: Int) throws {
    for _ in 0..<steps {
      let place = world.random(below: replicas.count)
      switch world.random(below: 20) {
      case 0..<11: try write(place)
      case 11..<18: try exchange(place, world.random(below: replicas.count), fault: world.random(below: 7))
      case 18: world.now += Int64(world.random(below: 4))
      default:
        if world.random(below: 2) == 0 {
          let others = replicas.indices.filter { $0 != place }.map { replicas[$0].knowledge }
          replicas[place].trim(keeping: world.random(below: 4)) { entry in
            !others.contains { $0.covers(entry.stamp) }
          }
        } else {
          replicas[place].collect()
        }
      }
    }
  }

  // MARK: Writing

  private func key(_ model: SyncName, _ tables: [ObjectID: SyncRow]) -> Value {
    let keys = tables.keys.filter { $0.model == model }.sorted()
    return keys.isEmpty ? .null : keys[world.random(below: keys.count)].key
  }

  private mutating func write(_ place: Int) throws {
    let replica = replicas[place]
    let models = replica.schema.models.values.sorted { $0.name < $1.name }
    var draft = Draft(replica)
    var isValid = true
    for _ in 0...world.random(below: 3) where isValid {
      let model = models[world.random(below: models.count)]
      let here = key(model.name, draft.rows)
      var row: SyncRow = [:]
      for column in model.columns { row[column.name] = value(column, draft.rows) }
      let number = Value.int(Int64(world.random(below: 4)))
      let object = ObjectID(model.name, model.name == "Seat" ? .string("\(row["owner"]!)/\(row["target"]!)") : number)
      switch world.random(below: 8) {
      case 0..<3: isValid = draft.rows[object] != nil || draft.insert(object, row)
      case 3: isValid = here.isNull || draft.delete(ObjectID(model.name, here))
      default:
        guard !here.isNull, model.name != "Seat" else { continue }
        let column = model.columns[world.random(below: model.columns.count)]
        isValid = draft.update(ObjectID(model.name, here), [column.name: row[column.name] ?? .null])
      }
    }
    guard isValid else { return }
    let changes = draft.changes.filter { $0.before != $0.after }
    guard try draft.commit(&replicas[place]) != nil else { return }
    entries += 1
    for change in changes where change.after != replicas[place].tables[change.object] {
      throw Broken(description: "WRITES: \(change.object) is not as it was written")
    }
    try check(place, since: replica)
  }

  private func value(_ column: SyncColumn, _ tables: [ObjectID: SyncRow]) -> Value {
    if let reference = column.reference { return key(reference.model, tables) }
    return switch column.rule {
    case .latest, .maximum, .minimum: .int(Int64(world.random(below: 4)))
    case .counter: .int(Int64(world.random(below: 7)) - 2)
    case .set: .array((0..<3).filter { _ in world.random(below: 2) == 0 }.map { .int($0) })
    }
  }

  // MARK: Exchanging

  mutating func exchange(_ receiver: Int, _ sender: Int, fault: Int = 0) throws {
    guard receiver != sender, !hasHub || receiver == 0 || sender == 0 else { return }
    let before = replicas[receiver]
    let hello = before.hello()
    let messages = replicas[sender].serve(hello)
    var arrived = try SyncReplica.messages(SyncFrame.decode(SyncFrame.encode(messages)))
    switch fault {
    case 1: return
    case 2: arrived = Array(arrived.prefix(world.random(below: arrived.count + 1)))
    case 3:
      late[receiver, default: []].append((hello.session, arrived))
      return
    case 4:
      if let old = late[receiver]?.popLast() { replicas[receiver].receive(old.session, old.messages) }
    case 5:
      for place in arrived.indices { arrived.swapAt(place, world.random(below: arrived.count)) }
    default: break
    }
    replicas[receiver].receive(hello.session, arrived, batch: 1 + world.random(below: 3))
    if fault == 6 {
      let once = replicas[receiver]
      replicas[receiver].receive(hello.session, arrived)
      guard once.records == replicas[receiver].records, once.tables == replicas[receiver].tables,
        once.knowledge == replicas[receiver].knowledge, once.log == replicas[receiver].log
      else { throw Broken(description: "IDEMPOTENCE: a second time the same messages change something") }
    }
    try check(receiver, since: before)
  }

  // MARK: Laws

  private func check(_ place: Int, since before: SyncReplica) throws {
    let replica = replicas[place]
    if replica.tables != replica.view.tables() { throw Broken(description: "VIEW: the tables are not the view") }
    let problems = Integrity.problems(replica.tables, replica.schema)
    if !problems.isEmpty { throw Broken(description: "INTEGRITY: \(problems)") }
    if replica.clock.last < before.clock.last { throw Broken(description: "MONOTONE: the clock went back") }
    for (origin, mark) in before.knowledge.vector where replica.knowledge.mark(origin).hlc < mark.hlc {
      throw Broken(description: "MONOTONE: the vector went back")
    }
  }

  /// Sessions without faults until nothing changes, and the laws of that state.
  mutating func settle() throws {
    let pairs = replicas.indices.flatMap { a in replicas.indices.filter { $0 != a }.map { (a, $0) } }
    for round in 0... {
      let before = replicas.map { ($0.records, $0.knowledge) }
      for (a, b) in pairs { try exchange(a, b) }
      if zip(before, replicas).allSatisfy({ $0.0 == $1.records && $0.1 == $1.knowledge }) { break }
      if round > 20 { throw Broken(description: "REST: the replicas do not come to rest") }
    }
    for (a, b) in pairs where !hasHub || a == 0 || b == 0 {
      let sent = replicas[b].serve(replicas[a].hello())
      for message in sent {
        switch message.message {
        case .log, .rows: throw Broken(description: "ECHO: something is sent at rest: \(message)")
        default: break
        }
      }
    }
    for replica in replicas.dropFirst()
    where replica.records != replicas[0].records || replica.tables != replicas[0].tables {
      throw Broken(description: "CONVERGENCE: \(replica.id) differs from \(replicas[0].id)")
    }
  }
}

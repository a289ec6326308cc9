import QuarryBackend
import QuarryCore
import QuarryQuery

/// One change of a store, by its name and how often it was done before.
package enum LabStep: String, CaseIterable, Sendable {
  case insert, upsert, update, delete
  /// A transaction in which a savepoint was rolled back.
  case savepoint
  /// Threads that write at once, and share commits where the engine does: each an object, and one that throws.
  case crowd
  /// An index is made, or removed.
  case schema
  /// The store is opened by a program whose model has one property more.
  case migration
  case compaction
  /// A copy beside the store.
  case backup
  /// Everything is sealed anew; the key that opens the store stays.
  case rekey
  /// The store is closed and opened again.
  case reopen
  /// The store is closed, and opened to keep a history, which later writes record and trim.
  case history
  /// The history is removed, where there is one.
  case trim
}

/// What a store of the laboratory has: what it should have, kept without any engine.
struct LabContent: Equatable {
  struct Row: Equatable {
    var code: Int
    var text: String
  }

  /// Nil where there is no store.
  var rows: [Int: Row]?
  /// Properties that migrations added.
  var added = 0
  var hasIndex = false
  /// The change sets that the history has had; nil where the store keeps none.
  var sets: Int?
  /// What each copy has, by the round in which it was made.
  var copies: [Int: String] = [:]

  /// The one model of the laboratory.
  static let model = "Row"

  static func schema(added: Int, hasIndex: Bool) -> ModelSchema {
    var properties = [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "code", type: .int64),
      PropertySchema(name: "text", type: .string),
    ]
    for number in 0..<added {
      properties.append(
        PropertySchema(name: addedName(number), type: .int64, defaultValue: .int(Int64(number))))
    }
    var indexes = [
      IndexSchema(name: "code", columns: [.init(slot: 1)], isUnique: true),
      IndexSchema(name: "text", columns: [.init(slot: 2)]),
    ]
    if hasIndex { indexes.append(twoColumns) }
    return ModelSchema(name: model, properties: properties, primaryKey: 0, indexes: indexes)
  }

  /// The index that the step `schema` makes and removes.
  static let twoColumns = IndexSchema(name: "both", columns: [.init(slot: 2), .init(slot: 1)])

  static func addedName(_ number: Int) -> String { "added\(number)" }

  /// The text of a row, of a length that depends on both: some are longer than what a page holds.
  static func text(_ id: Int, _ round: Int) -> String {
    let mixed: Int = id &* 31 &+ round &* 7
    let count = id % 17 == 0 ? 700 : 3 + mixed % 40
    return String(repeating: "\(id).\(round) ", count: count)
  }

  /// What a store has before anything is done, where it is not new.
  static let filled: LabContent = {
    var content = LabContent()
    content.rows = Dictionary(
      uniqueKeysWithValues: (0..<60).map { ($0, Row(code: $0, text: text($0, 0))) })
    return content
  }()

  /// - Parameter added: How many properties were added to the model, which have their defaults.
  static func record(_ id: Int, _ row: Row, added: Int = 0) -> Record {
    var fields: [(name: String, value: Value)] = [
      ("id", .int(Int64(id))), ("code", .int(Int64(row.code))), ("text", .string(row.text)),
    ]
    for number in 0..<added { fields.append((addedName(number), .int(Int64(number)))) }
    return Record(fields)
  }

  // MARK: Steps

  /// The rows that a step stores.
  static func inserted(_ round: Int) -> [Int: Row] {
    let first: Int = 1_000 * (round + 1)
    return rows(of: Array(first..<first + 12), round)
  }

  static func upserted(_ round: Int) -> [Int: Row] {
    let first: Int = 1_000 * (round + 1) + 500
    return rows(of: Array(0..<6) + Array(first..<first + 3), round + 100)
  }

  static func saved(_ round: Int) -> (before: [Int: Row], undone: [Int: Row], after: [Int: Row]) {
    let first: Int = 1_000 * (round + 1) + 700
    let undone = Array(first + 1..<first + 20)
    return (rows(of: [first], round), rows(of: undone, round), rows(of: [first + 1, 3], round + 200))
  }

  /// A row for each thread of a crowd, and the one that is undone.
  static func crowd(_ round: Int) -> (kept: [(id: Int, row: Row)], undone: (id: Int, row: Row)) {
    let first: Int = 1_000 * (round + 1) + 900
    let rows = (first..<first + 5).map { id in (id: id, row: Row(code: id, text: text(id, round))) }
    return (Array(rows.dropLast()), rows[4])
  }

  static func deleted(_ round: Int) -> Range<Int> { 20 + round * 6..<26 + round * 6 }
  static func updated(_ round: Int) -> (ids: Range<Int>, text: String) {
    (8..<20, String(repeating: "new \(round) ", count: 30))
  }

  private static func rows(of ids: [Int], _ round: Int) -> [Int: Row] {
    Dictionary(uniqueKeysWithValues: ids.map { ($0, Row(code: $0, text: text($0, round))) })
  }

  /// What a step makes of it.
  mutating func apply(_ step: LabStep, _ round: Int) {
    let before = rows ?? [:]
    var rows = before
    switch step {
    case .insert: rows.merge(Self.inserted(round)) { $1 }
    case .upsert: rows.merge(Self.upserted(round)) { $1 }
    case .update:
      for id in Self.updated(round).ids where rows[id] != nil { rows[id]?.text = Self.updated(round).text }
    case .delete: for id in Self.deleted(round) { rows[id] = nil }
    case .savepoint:
      let saved = Self.saved(round)
      rows.merge(saved.before.merging(saved.after) { $1 }) { $1 }
    case .crowd:
      let kept = Self.crowd(round).kept
      for (id, row) in kept { rows[id] = row }
      // Writes that share a commit are change sets of their own, and one more is counted below.
      record(kept.count - 1)
    case .schema: hasIndex.toggle()
    case .migration: added += 1
    case .backup: copies[round] = storeSeal
    case .history: sets = sets ?? 0
    case .compaction, .rekey, .reopen, .trim: break
    }
    if rows != before || step == .schema || step == .migration { record(1) }
    self.rows = rows
  }

  private mutating func record(_ count: Int) { sets = sets.map { $0 + count } }

  /// What a crowd may have made of it before all of it is done: any of its writes are there, and those that were acknowledged.
  ///
  /// - Parameter acknowledged: A bit for each write.
  func contents(inCrowd round: Int, acknowledged: Int) -> [LabContent] {
    let kept = Self.crowd(round).kept
    return (0..<1 << kept.count).filter { $0 & acknowledged == acknowledged }.map { mask in
      var content = self
      for (place, (id, row)) in kept.enumerated() where mask & 1 << place != 0 {
        content.rows?[id] = row
        content.record(1)
      }
      return content
    }
  }

  // MARK: Seals

  static let nothing = "nothing"

  /// A short text of what the store has, which ``seal(of:)`` makes of a store that has it.
  var storeSeal: String {
    guard let rows else { return Self.nothing }
    let schema = Self.schema(added: added, hasIndex: hasIndex)
    let records = rows.sorted { $0.key < $1.key }.map { Self.record($0.key, $0.value, added: added) }
    return Self.seal(records.map(\.values), schema, sets.map { "\($0)" })
  }

  /// That of the store and of so many copies, as the second process says it.
  func seal(copies count: Int) -> String {
    ([storeSeal] + (0..<count).map { copies[$0] ?? Self.nothing }).joined(separator: " ")
  }

  /// - Parameter newest: The position of the newest change set; nil without a history.
  private static func seal(_ rows: [[Value]], _ schema: ModelSchema, _ newest: String?) -> String {
    // FNV-1a (Fowler, Noll, Vo): the two processes are of one program, but do not share the seed of Swift's hashes.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ text: String) {
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      hash = (hash ^ 0xFF) &* 0x100_0000_01B3
    }
    for row in rows { for value in row { add("\(value)") } }
    let properties = schema.properties.map(\.name).joined(separator: ",")
    let indexes = schema.indexes.map(\.name).sorted().joined(separator: ",")
    return "\(rows.count)/\(properties)/\(indexes)/\(String(hash, radix: 16))" + (newest.map { "/\($0)" } ?? "")
  }

  static func seal(of store: Store) throws -> String {
    let newest = try store.history.isOn ? "\(store.history.newest)" : nil
    return try store.read { tx in
      let models = try tx.models()
      guard let model = models.first(where: { $0.name == model }) else {
        return models.isEmpty ? nothing : models.map(\.name).joined(separator: ",")
      }
      let names = model.properties.map(\.name)
      return seal(
        try tx.records.fetch(QueryTree(model: model.name)).map { row in names.map { row[$0] ?? .null } }, model,
        newest)
    }
  }
}

/// What is done with a store, and from what beginning.
package struct LabWorkload: Equatable, CustomStringConvertible {
  /// Whether there is a store before with some rows; else its making is the first of what is done.
  let isFilled: Bool
  var steps: [LabStep]

  /// What the store should have before, and after each step: the first of a new one is its making.
  var contents: [LabContent] {
    var contents = [isFilled ? LabContent.filled : LabContent()]
    if !isFilled {
      var made = LabContent()
      made.rows = [:]
      contents.append(made)
    }
    for (place, step) in steps.enumerated() {
      var content = contents[contents.count - 1]
      content.apply(step, rounds[place])
      contents.append(content)
    }
    return contents
  }

  /// What there may be while a content is being made of the one before.
  ///
  /// - Parameter acknowledged: The writes of a crowd that have returned, a bit for each.
  func contents(making number: Int, acknowledged: Int = 0) -> [LabContent] {
    let contents = contents
    guard number > 0 else { return [contents[0]] }
    let place = number - (isFilled ? 1 : 2)
    guard place >= 0, steps[place] == .crowd else { return Array(contents[number - 1...number]) }
    return contents[number - 1].contents(inCrowd: rounds[place], acknowledged: acknowledged)
  }

  /// The seals of what there may be from one content to another.
  ///
  /// - Parameter acknowledged: As above, of the last.
  func seals(_ range: ClosedRange<Int>, acknowledged: Int = 0) -> [String] {
    guard range.lowerBound < range.upperBound else { return [contents[range.lowerBound].seal(copies: copies)] }
    let before = (range.lowerBound + 1..<range.upperBound).flatMap { contents(making: $0) }
    let found = before + contents(making: range.upperBound, acknowledged: acknowledged)
    return Set(found.map { $0.seal(copies: copies) }).sorted()
  }

  /// The seals of stores and copies that have any of those contents, each for itself.
  func mixedSeals(_ range: ClosedRange<Int>) -> [String] {
    let contents = contents
    var seals = Set(
      range.flatMap { $0 == range.lowerBound ? [contents[$0]] : self.contents(making: $0) }.map(\.storeSeal))
    for number in 0..<copies {
      // A copy of before may be there or not, whatever the store has kept.
      let copied = Set(contents[...range.upperBound].map { $0.copies[number] ?? LabContent.nothing })
      seals = Set(seals.flatMap { seal in copied.map { "\(seal) \($0)" } })
    }
    return seals.sorted()
  }

  /// How many copies it makes.
  var copies: Int { steps.count { $0 == .backup } }

  /// How often each step was done before.
  var rounds: [Int] {
    var seen: [LabStep: Int] = [:]
    return steps.map { step in
      defer { seen[step, default: 0] += 1 }
      return seen[step, default: 0]
    }
  }

  /// `new insert,delete` or `filled compaction`, which ``init(_:)`` reads.
  package var description: String { (isFilled ? "filled " : "new ") + steps.map(\.rawValue).joined(separator: ",") }

  package init(isFilled: Bool, _ steps: [LabStep]) {
    (self.isFilled, self.steps) = (isFilled, steps)
  }

  /// Nil for a text that says no workload.
  init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard let first = words.first, ["new", "filled"].contains(first), words.count <= 2 else { return nil }
    let steps = (words.count < 2 ? [] : words[1].split(separator: ",")).map { LabStep(rawValue: String($0)) }
    guard !steps.contains(nil) else { return nil }
    self.init(isFilled: first == "filled", steps.compactMap { $0 })
  }

  /// All of at most so many steps, the short ones first.
  static func all(of steps: [LabStep], upTo count: Int) -> [LabWorkload] {
    var lists: [[LabStep]] = [[]]
    var newest = lists
    for _ in 0..<count {
      newest = newest.flatMap { list in steps.map { list + [$0] } }
      lists += newest
    }
    return lists.flatMap { list in [false, true].map { LabWorkload(isFilled: $0, list) } }
  }
}

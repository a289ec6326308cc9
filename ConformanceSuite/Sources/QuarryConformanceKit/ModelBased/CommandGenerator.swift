import Foundation
import QuarryBackend
import QuarryCore
import QuarryQuery

/// Lists of commands from a seed. Keys and values are few, so that they meet; each list uses some kinds of commands
/// only, chosen by its seed, so that those which hide one another's effects are also run apart (swarm testing, Groce
/// and others 2012).
struct CommandGenerator {
  private var random: SeededGenerator
  private var queries: QueryGenerator
  private var statements: [Int] = []
  private var questions: [Int] = []
  private var kinds: [SubjectKind] = []
  private let usesSnapshots: Bool
  private let usesSavepoints: Bool
  private let usesReopening: Bool
  private let usesBadQueries: Bool
  private let keys: Int

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    queries = QueryGenerator(seed: random.next())
    func some(_ range: Range<Int>, _ random: inout SeededGenerator) -> [Int] {
      let chosen = range.filter { _ in Bool.random(using: &random) }
      return chosen.isEmpty ? Array(range) : chosen
    }
    // Without inserts and upserts there would be nothing to look at.
    statements = some(0..<Self.statementCount, &random) + [0, 2]
    questions = some(0..<Self.questionCount, &random)
    kinds = some(0..<SubjectKind.allCases.count, &random).map { SubjectKind.allCases[$0] }
    usesSnapshots = Bool.random(using: &random)
    usesSavepoints = Bool.random(using: &random)
    usesReopening = Bool.random(using: &random)
    usesBadQueries = Int.random(in: 0..<4, using: &random) == 0
    keys = [6, 12, 24, 40].randomElement(using: &random) ?? 12
  }

  private mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

  private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }

  /// As many commands as asked for, or a few more, and at the end a look at everything.
  mutating func commands(_ count: Int) -> [Command] {
    var commands: [Command] = []
    var left = count
    while left > 0 {
      let command = topLevel()
      left -= Command.count([command])
      commands.append(command)
    }
    commands.append(.reopen)
    commands.append(.check)
    for kind in SubjectKind.allCases { commands.append(.ask(kind, .fetch(QueryTree(model: kind.shape.name)))) }
    return commands
  }

  private mutating func topLevel() -> Command {
    switch number(0...19) {
    case 0...5: return .write(inside(6, 1), fails: chance(5))
    case 6...9: return state()
    case 10: return .read(inside(4, 3, isReading: true))
    case 11 where usesSnapshots: return .freeze(number(0...2))
    case 12...14 where usesSnapshots: return .frozen(number(0...2), inside(4, 3, isReading: true))
    case 15 where usesSnapshots: return .letGo(number(0...2))
    case 16 where usesReopening: return .reopen
    case 17 where chance(4): return .check
    default: return ask()
    }
  }

  /// The commands of a block.
  private mutating func inside(_ most: Int, _ depth: Int, isReading: Bool = false) -> [Command] {
    (0..<number(0...most)).map { _ in
      switch number(0...15) {
      case 0...1 where usesSavepoints && depth < 4 && !isReading:
        return .savepoint(inside(4, depth + 1), fails: chance(2))
      case 2 where depth < 3 && chance(2): return .write(inside(3, depth + 1), fails: chance(2))
      case 3 where depth < 3 && chance(2): return .read(inside(2, depth + 1, isReading: true))
      // Not while one is read, which that might let go.
      case 4 where usesSnapshots && !isReading && chance(4): return .freeze(number(0...2))
      case 5...10 where !isReading || chance(12): return state()
      default: return ask()
      }
    }
  }

  // MARK: Values

  private mutating func value(_ place: Int) -> Value {
    let property = QueryGenerator.properties[place]
    // Longer than what some engines have room for in a key, and different only at the end.
    if property.type == .string, chance(12) {
      return .string(String(repeating: pick(["x", "\u{E9}"]), count: 600) + pick(["", "a", "b"]))
    }
    if property.type == .data, chance(12) { return .data(Data(repeating: 7, count: 5_000) + [UInt8(number(0...1))]) }
    if property.name == "count" { return chance(6) ? queries.value(property) : .int(Int64(number(-3...3))) }
    return queries.value(property)
  }

  private mutating func key(_ kind: SubjectKind) -> Value {
    kind == .named ? value(6) : .int(Int64(number(1...keys)) * (chance(20) ? -1 << 40 : 1))
  }

  private mutating func row(_ kind: SubjectKind) -> [Value] {
    var row = QueryGenerator.properties.indices.map { value($0) }
    row[0] = .int(Int64(number(1...keys)))
    row[kind.key] = key(kind)
    return row
  }

  private mutating func changes(_ kind: SubjectKind) -> [Change] {
    (0..<number(0...3)).map { _ in
      let place = number(0...QueryGenerator.properties.count - 1)
      if place == kind.key { return Change(property: 2, value: value(2)) }
      return Change(property: place, value: value(place))
    }
  }

  private mutating func query(_ kind: SubjectKind) -> QueryTree {
    var query = queries.query()
    query.model = kind.shape.name
    // Most of the time something is found.
    if chance(3) { query.predicate = .constant(true) }
    return query
  }

  // MARK: Statements

  private static let statementCount = 17

  private mutating func state() -> Command {
    let kind = pick(kinds)
    return .state(kind, statement(pick(statements), kind))
  }

  private mutating func rows(_ kind: SubjectKind) -> [[Value]] {
    (0..<(chance(3) ? number(0...6) : 1)).map { _ in row(kind) }
  }

  private mutating func statement(_ number: Int, _ kind: SubjectKind) -> Statement {
    switch number {
    case 0: return .insert(rows(kind))
    case 1: return .insertRecords(rows(kind))
    case 2: return .upsert(rows(kind))
    case 3: return .upsertRecords(rows(kind))
    case 4: return .merge(row(kind), pick(kind == .named ? [.note, .smallFlagAndPrice] : MergedColumns.allCases))
    case 5: return .getOrInsert(row(kind))
    case 6, 7:
      var changes = changes(kind)
      if chance(15) { changes.append(Change(property: kind.key, value: key(kind))) }
      return .change(key(kind), changes)
    case 8: return .replace(row(kind))
    case 9: return .compareAndUpdate(row(kind), isStale: chance(3))
    case 10: return .updateIfStored(row(kind), count: Int64(self.number(-1...1)))
    case 11: return .changeEach(query(kind), changes(kind))
    case 12, 13: return .assign(query(kind), assignments(kind))
    case 14: return .delete((0..<(chance(2) ? self.number(0...5) : 1)).map { _ in key(kind) })
    case 15: return .deleteQuery(query(kind))
    default:
      if chance(4) { return .deleteAll }
      return chance(2) ? .insertWhileIterating(row(kind)) : .delete([key(kind)])
    }
  }

  private mutating func assignments(_ kind: SubjectKind) -> [AssignmentTree] {
    var places = Set((0..<number(1...3)).map { _ in number(0...QueryGenerator.properties.count - 1) }).sorted()
    if usesBadQueries, chance(8) { places.append(places[0]) }
    return places.map { place in
      if place == kind.key, !usesBadQueries || !chance(4) { return AssignmentTree("tags", .set, .null) }
      let property = QueryGenerator.properties[place]
      // Decimals are added up by nobody but the engines.
      guard property.type.isNumeric, property.type != .decimal, chance(2) else {
        return AssignmentTree(property.name, .set, value(place))
      }
      var operand = value(place)
      if operand.isNull { operand = Samples.values(property.type)[3] }
      return AssignmentTree(property.name, pick([.add, .subtract, .multiply]), operand)
    }
  }

  // MARK: Questions

  private static let questionCount = 16

  private mutating func ask() -> Command {
    let kind = pick(kinds)
    return .ask(kind, question(pick(questions), kind))
  }

  private mutating func question(_ number: Int, _ kind: SubjectKind) -> Question {
    switch number {
    case 0: return .get(key(kind))
    case 1: return .getMany((0..<self.number(0...5)).map { _ in key(kind) })
    case 2: return .exists(key(kind))
    case 3: return .row(key(kind))
    case 4: return .fetch(limited(query(kind)))
    case 5: return .first(query(kind))
    case 6: return .any(query(kind))
    case 7: return .count(query(kind))
    case 8: return .keys(limited(query(kind)))
    case 9:
      let columns = SubjectKind.names.filter { _ in chance(4) }
      return .rows(query(kind), columns)
    case 10: return .frozen(query(kind))
    case 11: return .select(query(kind))
    case 12: return .grouped(query(kind))
    case 13: return .aggregate(query(kind), groups: groups(), columns())
    case 14: return .pages(paged(query(kind)), self.number(1...7))
    default: return .nextPage(paged(query(kind)), self.number(1...3))
    }
  }

  /// A few positions are worth returning to: pages of simple queries, between writes.
  private mutating func paged(_ query: QueryTree) -> QueryTree {
    var query = query
    query.limit = nil
    query.offset = 0
    if chance(2) {
      query.predicate = .constant(true)
      query.order = [pick([.init("count"), .init("score", isDescending: true), .init("note")])]
    }
    return query
  }

  private mutating func limited(_ query: QueryTree) -> QueryTree {
    guard usesBadQueries, chance(8) else { return query }
    var query = query
    if chance(2) { query.limit = -1 } else { query.offset = -1 }
    return query
  }

  private mutating func groups() -> [String] {
    (0..<number(0...2)).map { _ in pick(SubjectKind.names.filter { $0 != "tags" }) }
  }

  private mutating func columns() -> [AggregateColumn] {
    (0..<number(0...3)).map { _ in
      let function = pick(AggregateFunction.allCases)
      switch function {
      case .count:
        return AggregateColumn(function: .count, property: chance(2) ? nil : pick(SubjectKind.names))
      case .sum, .average:
        return AggregateColumn(
          function: function, property: pick(["small", "count", "big", "ratio", "score", "price"]))
      case .min, .max:
        return AggregateColumn(function: function, property: pick(SubjectKind.names.filter { $0 != "tags" }))
      }
    }
  }
}

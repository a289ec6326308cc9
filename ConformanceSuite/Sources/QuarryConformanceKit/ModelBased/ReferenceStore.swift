import Foundation
import QuarryBackend
import QuarryCore
import QuarryQuery

/// What the contract says that commands give, over dictionaries: no trees, no indexes, no transactions but copies.
final class ReferenceStore {
  /// The rows of each model by primary key.
  typealias State = [SubjectKind: [Value: [Value]]]

  private struct Failure: Error {
    var code: StorageError.Code
    init(_ code: StorageError.Code) { self.code = code }
  }

  /// Where a command is run.
  private struct Scope {
    /// The state of a frozen store that is read; nil for that of the store.
    var pinned: State?
    var isReading = false
    var isWriting = false
  }

  private var state: State = [:]
  private var frozen: [Int: State] = [:]
  private var positions: [QueryTree: [Value]] = [:]
  private(set) var answers: [Answer] = []
  /// How often each kind of command gave each kind of answer.
  private(set) var outcomes: [String: Int] = [:]

  func run(_ commands: [Command]) {
    for command in commands { run(command, Scope()) }
  }

  private func run(_ command: Command, _ scope: Scope) {
    let answer = answer(command, scope)
    answers.append(answer)
    outcomes["\(command.kind): \(answer.kind)", default: 0] += 1
  }

  private func answer(_ command: Command, _ scope: Scope) -> Answer {
    switch command {
    case .write(let commands, let fails): return write(commands, fails, scope)
    case .savepoint(let commands, let fails): return write(commands, fails, scope)
    case .read(let commands):
      for command in commands { run(command, Scope(isReading: !scope.isWriting, isWriting: scope.isWriting)) }
      return .done
    case .freeze(let number):
      if scope.isWriting { return .failure(.reentrant) }
      frozen[number] = state
      return .done
    case .frozen(let number, let commands):
      guard let pinned = frozen[number] else { return .unknown }
      var inner = scope
      inner.pinned = pinned
      for command in commands { run(command, inner) }
      return .done
    case .letGo(let number):
      frozen[number] = nil
      return .done
    case .reopen:
      if !scope.isReading, !scope.isWriting, scope.pinned == nil { frozen = [:] }
      return .done
    case .check: return .findings([])
    case .state(let kind, let statement):
      if scope.isReading { return .failure(.reentrant) }
      let before = state
      do {
        return try perform(statement, kind)
      } catch {
        state = before
        return .failure((error as? Failure)?.code ?? .io)
      }
    case .ask(let kind, let question):
      do {
        return try reply(question, kind, (scope.pinned ?? state)[kind] ?? [:])
      } catch {
        return .failure((error as? Failure)?.code ?? .io)
      }
    }
  }

  private func write(_ commands: [Command], _ fails: Bool, _ scope: Scope) -> Answer {
    if scope.isReading { return .failure(.reentrant) }
    let before = state
    for command in commands { run(command, Scope(isWriting: true)) }
    guard fails else { return .done }
    state = before
    return .undone
  }

  // MARK: Statements

  private func perform(_ statement: Statement, _ kind: SubjectKind) throws -> Answer {
    var rows = state[kind] ?? [:]
    defer { state[kind] = rows }
    func isAdded(_ row: [Value]) -> Bool { rows.updateValue(row, forKey: row[kind.key]) == nil }
    func finish(_ answer: Answer) throws -> Answer {
      try Self.checkUnique(rows, kind)
      return answer
    }
    switch statement {
    case .insert(let new), .insertRecords(let new):
      for row in new where !isAdded(row) { throw Failure(.duplicateKey) }
      return try finish(.done)
    case .upsert(let new), .upsertRecords(let new):
      let added = new.filter(isAdded).count
      if case .upsert = statement, new.count == 1 { return try finish(.flag(added == 1)) }
      return try finish(.number(added))
    case .merge(let row, let columns):
      guard var stored = rows[row[kind.key]] else {
        _ = isAdded(row)
        return try finish(.flag(true))
      }
      for place in columns.places where place != kind.key { stored[place] = row[place] }
      _ = isAdded(stored)
      return try finish(.flag(false))
    case .getOrInsert(let row):
      if let stored = rows[row[kind.key]] { return .rows([stored]) }
      _ = isAdded(row)
      return try finish(.rows([row]))
    case .change(let key, let changes):
      guard let stored = rows[key] else { throw Failure(.notFound) }
      let changed = try Self.changed(stored, changes, kind)
      _ = isAdded(changed)
      return try finish(.rows([changed]))
    case .replace(let row):
      guard rows[row[kind.key]] != nil else { throw Failure(.notFound) }
      _ = isAdded(row)
      return try finish(.done)
    case .compareAndUpdate(let row, let isStale):
      guard rows[row[kind.key]] != nil else { throw Failure(.notFound) }
      if isStale { throw Failure(.conflict) }
      _ = isAdded(row)
      return try finish(.done)
    case .updateIfStored(let row, let count):
      guard let stored = rows[row[kind.key]] else { throw Failure(.notFound) }
      guard stored[2] == .int(count) else { throw Failure(.conflict) }
      _ = isAdded(row)
      return try finish(.done)
    case .changeEach(let query, let changes):
      let chosen = try matching(query, rows, kind)
      for row in chosen { _ = isAdded(try Self.changed(row, changes, kind)) }
      return try finish(.number(chosen.count))
    case .assign(let query, let assignments):
      try Self.check(assignments, kind)
      let chosen = try matching(query, rows, kind)
      for row in chosen {
        _ = isAdded(try ReferenceArithmetic.assigned(row, assignments).orThrow(Failure(.invalidValue)))
      }
      return try finish(.number(chosen.count))
    case .delete(let keys):
      let removed = keys.filter { rows.removeValue(forKey: $0) != nil }.count
      return keys.count == 1 ? .flag(removed == 1) : .number(removed)
    case .deleteQuery(let query):
      let chosen = try matching(query, rows, kind)
      for row in chosen { rows[row[kind.key]] = nil }
      return .number(chosen.count)
    case .deleteAll:
      defer { rows = [:] }
      return .number(rows.count)
    case .insertWhileIterating:
      if rows.isEmpty { return .done }
      throw Failure(.iterationActive)
    }
  }

  private static func changed(_ row: [Value], _ changes: [Change], _ kind: SubjectKind) throws -> [Value] {
    var changed = row
    for change in changes { changed[change.property] = change.value }
    if changed[kind.key] != row[kind.key] { throw Failure(.invalidValue) }
    return changed
  }

  private static func check(_ assignments: [AssignmentTree], _ kind: SubjectKind) throws {
    guard Set(assignments.map { ByteString($0.property) }).count == assignments.count else {
      throw Failure(.invalidQuery)
    }
    for assignment in assignments {
      guard let place = SubjectKind.names.firstIndex(of: assignment.property), place != kind.key,
        assignment.operation == .set || QueryGenerator.properties[place].type.isNumeric
      else { throw Failure(.invalidQuery) }
    }
  }

  private static func checkUnique(_ rows: [Value: [Value]], _ kind: SubjectKind) throws {
    for index in kind.shape.indexes where index.isUnique {
      let places = index.columns.compactMap { SubjectKind.names.firstIndex(of: $0.property) }
      var seen: Set<[Value]> = []
      for row in rows.values {
        let values = places.map { canonical(row[$0]) }
        guard !values.contains(.null) else { continue }
        guard seen.insert(values).inserted else { throw Failure(.uniqueViolation) }
      }
    }
  }

  /// One of the values that are the same in an order.
  private static func canonical(_ value: Value) -> Value {
    switch value {
    case .float(let number): .float(number.isNaN ? .nan : number == 0 ? 0 : number)
    case .double(let number): .double(number.isNaN ? .nan : number == 0 ? 0 : number)
    case .date(let date):
      date.timeIntervalSinceReferenceDate == 0
        ? .date(Date(timeIntervalSinceReferenceDate: 0))
        : date.timeIntervalSinceReferenceDate.isNaN ? .date(Date(timeIntervalSinceReferenceDate: .nan)) : value
    default: value
    }
  }

  // MARK: Questions

  /// The rows of a query in its order.
  private func matching(_ query: QueryTree, _ rows: [Value: [Value]], _ kind: SubjectKind) throws -> [[Value]] {
    guard (query.limit ?? 0) >= 0, query.offset >= 0 else { throw Failure(.invalidQuery) }
    let records = rows.values.map { Record(SubjectKind.fields($0)) }
    return Reference.rows(query, from: records, key: SubjectKind.names[kind.key]).map(\.values)
  }

  private func reply(_ question: Question, _ kind: SubjectKind, _ rows: [Value: [Value]]) throws -> Answer {
    func all(_ query: QueryTree) throws -> [[Value]] { try matching(query, rows, kind) }
    switch question {
    case .get(let key), .row(let key): return .rows([rows[key]])
    case .getMany(let keys): return .rows(keys.map { rows[$0] })
    case .exists(let key): return .flag(rows[key] != nil)
    case .fetch(let query), .frozen(let query): return .rows(try all(query))
    case .pages(let query, _): return .rows(try all(query))
    case .first(let query): return .rows([try all(query).first])
    case .any(let query): return .flag(try !all(query).isEmpty)
    case .count(let query): return .number(try all(query).count)
    case .keys(let query): return .rows(try all(query).map { [$0[kind.key]] })
    case .rows(let query, let columns):
      let places = columns.compactMap { SubjectKind.names.firstIndex(of: $0) }
      return .rows(try all(query).map { row in places.map { row[$0] } })
    case .select(let query): return .rows(try all(query).map { [$0[7], $0[5]] })
    case .grouped(let query):
      var parts: [Answer.Part] = []
      for row in try all(query) {
        if let place = parts.firstIndex(where: { $0.key == row[1] }) {
          parts[place].rows.append(row)
        } else {
          parts.append(Answer.Part(key: row[1], rows: [row]))
        }
      }
      return .parts(parts.sorted { Reference.rank($0.key, $1.key) < 0 })
    case .aggregate: return .unknown
    case .nextPage(let query, let size):
      let page = try after(positions[query], query, rows, kind)
      positions[query] = page.count > size ? page[size - 1] : nil
      return .rows(Array(page.prefix(size)))
    }
  }

  /// The rows of a query that come after one that may have been changed or removed.
  private func after(
    _ last: [Value]?, _ query: QueryTree, _ rows: [Value: [Value]], _ kind: SubjectKind
  ) throws -> [[Value]] {
    let all = try matching(query, rows, kind)
    guard let last else { return all }
    let places = query.order.compactMap { key in SubjectKind.names.firstIndex(of: key.property) } + [kind.key]
    // The last row itself, however the rest of it was changed, does not come after itself.
    let others = all.filter { row in !places.allSatisfy { Reference.rank(row[$0], last[$0]) == 0 } }
    var order = query
    order.predicate = .constant(true)
    let records = (others + [last]).map { Record(SubjectKind.fields($0)) }
    let sorted = Reference.rows(order, from: records, key: SubjectKind.names[kind.key]).map(\.values)
    let place = sorted.firstIndex { row in places.allSatisfy { Reference.rank(row[$0], last[$0]) == 0 } } ?? 0
    return Array(sorted.dropFirst(place + 1))
  }
}

extension Optional {
  fileprivate func orThrow(_ error: any Error) throws -> Wrapped {
    guard let self else { throw error }
    return self
  }
}

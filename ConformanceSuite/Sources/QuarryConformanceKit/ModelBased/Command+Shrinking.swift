import QuarryBackend
import QuarryQuery

extension Command {
  /// Commands that say less, the simplest first.
  var simpler: [Command] {
    switch self {
    case .write(let commands, true): [.write(commands, fails: false)]
    case .savepoint(let commands, true): [.savepoint(commands, fails: false)]
    case .state(let kind, let statement): statement.simpler(kind).map { .state(kind, $0) }
    case .ask(let kind, let question): question.simpler.map { .ask(kind, $0) }
    default: []
    }
  }
}

extension Statement {
  fileprivate func simpler(_ kind: SubjectKind) -> [Statement] {
    switch self {
    case .insert(let rows): Self.simpler(rows, kind).map { .insert($0) }
    case .insertRecords(let rows): Self.simpler(rows, kind).map { .insertRecords($0) }
    case .upsert(let rows): Self.simpler(rows, kind).map { .upsert($0) }
    case .upsertRecords(let rows): Self.simpler(rows, kind).map { .upsertRecords($0) }
    case .merge(let row, let columns): Self.simpler(row, kind).map { .merge($0, columns) }
    case .getOrInsert(let row): Self.simpler(row, kind).map { .getOrInsert($0) }
    case .change(let key, let changes): changes.withoutOne.map { .change(key, $0) }
    case .replace(let row): Self.simpler(row, kind).map { .replace($0) }
    case .compareAndUpdate(let row, let isStale):
      Self.simpler(row, kind).map { .compareAndUpdate($0, isStale: isStale) }
    case .updateIfStored(let row, let count): Self.simpler(row, kind).map { .updateIfStored($0, count: count) }
    case .changeEach(let query, let changes):
      changes.withoutOne.map { .changeEach(query, $0) } + query.simpler.map { .changeEach($0, changes) }
    case .assign(let query, let assignments):
      assignments.withoutOne.filter { !$0.isEmpty }.map { .assign(query, $0) }
        + query.simpler.map { .assign($0, assignments) }
    case .delete(let keys): keys.withoutOne.map { .delete($0) }
    case .deleteQuery(let query): query.simpler.map { .deleteQuery($0) }
    case .deleteAll: []
    case .insertWhileIterating(let row): Self.simpler(row, kind).map { .insertWhileIterating($0) }
    }
  }

  private static func simpler(_ rows: [[Value]], _ kind: SubjectKind) -> [[[Value]]] {
    rows.withoutOne
      + rows.indices.flatMap { place in
        simpler(rows[place], kind).map { row in
          var copy = rows
          copy[place] = row
          return copy
        }
      }
  }

  /// The row with every field plain, with half of them, and with one.
  private static func simpler(_ row: [Value], _ kind: SubjectKind) -> [[Value]] {
    let special = row.indices.filter { $0 != kind.key && row[$0] != SubjectKind.plain[$0] }
    guard !special.isEmpty else { return [] }
    let half = special.count / 2
    let sets = [special, Array(special[..<half]), Array(special[half...])] + special.map { [$0] }
    return sets.filter { !$0.isEmpty }.map { places in
      var copy = row
      for place in places { copy[place] = SubjectKind.plain[place] }
      return copy
    }
  }
}

extension Question {
  fileprivate var simpler: [Question] {
    switch self {
    case .get, .exists, .row: []
    case .getMany(let keys): keys.withoutOne.map { .getMany($0) }
    case .fetch(let query): query.simpler.map { .fetch($0) }
    case .first(let query): query.simpler.map { .first($0) }
    case .any(let query): query.simpler.map { .any($0) }
    case .count(let query): query.simpler.map { .count($0) }
    case .keys(let query): query.simpler.map { .keys($0) }
    case .rows(let query, let columns):
      columns.withoutOne.map { .rows(query, $0) } + query.simpler.map { .rows($0, columns) }
    case .frozen(let query): query.simpler.map { .frozen($0) }
    case .select(let query): query.simpler.map { .select($0) }
    case .grouped(let query): query.simpler.map { .grouped($0) }
    case .aggregate(let query, let groups, let columns):
      groups.withoutOne.map { .aggregate(query, groups: $0, columns) }
        + columns.withoutOne.map { .aggregate(query, groups: groups, $0) }
        + query.simpler.map { .aggregate($0, groups: groups, columns) }
    case .pages(let query, let size): query.simpler.map { .pages($0, size) }
    case .nextPage(let query, let size): query.simpler.map { .nextPage($0, size) }
    }
  }
}

extension QueryTree {
  fileprivate var simpler: [QueryTree] {
    func with(_ change: (inout QueryTree) -> Void) -> QueryTree {
      var copy = self
      change(&copy)
      return copy
    }
    var result = predicate.simpler.map { predicate in with { $0.predicate = predicate } }
    result += order.withoutOne.map { order in with { $0.order = order } }
    if limit != nil { result.append(with { $0.limit = nil }) }
    if offset != 0 { result.append(with { $0.offset = 0 }) }
    return result
  }
}

extension PredicateTree {
  fileprivate var simpler: [PredicateTree] {
    switch self {
    case .constant: []
    case .not(let inner): [.constant(true), inner] + inner.simpler.map { .not($0) }
    case .and(let parts):
      [.constant(true)] + parts + parts.withoutOne.filter { $0.count > 1 }.map { .and($0) }
    case .or(let parts):
      [.constant(true)] + parts + parts.withoutOne.filter { $0.count > 1 }.map { .or($0) }
    case .oneOf(let operand, let values): [.constant(true)] + values.withoutOne.map { .oneOf(operand, $0) }
    default: [.constant(true)]
    }
  }
}

extension Array {
  /// The array without one of its elements, without the last one first.
  fileprivate var withoutOne: [[Element]] {
    indices.reversed().map { place in
      var copy = self
      copy.remove(at: place)
      return copy
    }
  }
}

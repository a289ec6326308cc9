import QuarryBackend
import QuarryCore
import QuarryQuery

extension CommandRunner {
  func perform<S: SubjectShape>(_ statement: Statement, _ shape: S.Type, _ tx: WriteTransaction) throws -> Answer {
    typealias Object = Subject<S>
    func key(_ value: Value) throws -> S.Key { try S.Key(storedValue: value) }
    switch statement {
    case .insert(let rows):
      if rows.count == 1 {
        try tx.insert(Object(rows[0]))
      } else {
        try tx.insert(contentsOf: rows.map { try Object($0) })
      }
    case .insertRecords(let rows): try tx.records.insert(into: S.name, rows.map { Record(SubjectKind.fields($0)) })
    case .upsert(let rows):
      if rows.count == 1 { return .flag(try tx.upsert(Object(rows[0]))) }
      return .number(try tx.upsert(contentsOf: rows.map { try Object($0) }))
    case .upsertRecords(let rows):
      return .number(try tx.records.upsert(into: S.name, rows.map { Record(SubjectKind.fields($0)) }))
    case .merge(let row, .note): return .flag(try tx.upsert(Object(row), updating: \.note))
    case .merge(let row, .countAndName): return .flag(try tx.upsert(Object(row), updating: \.count, \.name))
    case .merge(let row, .smallFlagAndPrice):
      return .flag(try tx.upsert(Object(row), updating: \.small, \.flag, \.price))
    case .getOrInsert(let row): return .rows([try tx.getOrInsert(Object(row)).values()])
    case .change(let id, let changes):
      return .rows([try tx.update(Object.self, key(id)) { try $0.apply(changes) }.values()])
    case .replace(let row): try tx.update(Object(row))
    case .compareAndUpdate(let row, let isStale):
      let object = try Object(row)
      var old = try tx.get(Object.self, object.primaryKeyValue) ?? object
      if isStale { old.count &+= 1 }
      try tx.update(object, ifUnchangedFrom: old)
    case .updateIfStored(let row, let count): try tx.update(Object(row), ifStored: \.count, is: count)
    case .changeEach(let query, let changes):
      return .number(try tx.update(Query<Object>(tree: query)) { try $0.apply(changes) })
    case .assign(let query, let assignments): return .number(try tx.records.assign(query, assignments))
    case .delete(let keys):
      if keys.count == 1 { return .flag(try tx.delete(Object.self, key(keys[0]))) }
      return .number(try tx.delete(Object.self, keys: keys.map(key)))
    case .deleteQuery(let query): return .number(try tx.delete(Query<Object>(tree: query)))
    case .deleteAll: return .number(try tx.delete(Object.all))
    case .insertWhileIterating(let row):
      let object = try Object(row)
      try tx.forEach(Query<Object>()) { _ in try tx.insert(object) }
    }
    return .done
  }

  func reply<S: SubjectShape>(_ question: Question, _ shape: S.Type, _ tx: ReadTransaction) throws -> Answer {
    typealias Object = Subject<S>
    func key(_ value: Value) throws -> S.Key { try S.Key(storedValue: value) }
    func query(_ tree: QueryTree) throws -> Query<Object> { try Query(tree: tree) }
    switch question {
    case .get(let id): return .rows([try tx.get(Object.self, key(id))?.values()])
    case .getMany(let ids): return .rows(try tx.get(Object.self, keys: ids.map(key)).map { try $0?.values() })
    case .exists(let id): return .flag(try tx.exists(Object.self, key(id)))
    case .row(let id): return .rows([try tx.records.get(in: S.name, key: id)?.values])
    case .fetch(let tree): return .rows(try tx.fetch(query(tree)).map { try $0.values() })
    case .first(let tree): return .rows([try tx.first(query(tree))?.values()])
    case .any(let tree): return .flag(try tx.exists(query(tree)))
    case .count(let tree): return .number(try tx.count(query(tree)))
    case .keys(let tree): return .rows(try tx.keys(query(tree)).map { [try $0.storedValue()] })
    case .rows(let tree, let columns): return .rows(try tx.records.fetch(tree, columns: columns).map(\.values))
    case .frozen(let tree): return .rows(try tx.frozen(query(tree)).map { try $0.thawed().values() })
    case .select(let tree):
      return .rows(
        try tx.select(query(tree), \.note, \.score).map { [try $0.0.storedValue(), try $0.1.storedValue()] })
    case .grouped(let tree):
      return .parts(
        try tx.grouped(query(tree), by: \.small).map {
          Answer.Part(key: try $0.key.storedValue(), rows: try $0.elements.map { try $0.values() })
        })
    case .aggregate(let tree, let groups, let columns):
      return .groups(try tx.records.aggregate(tree, groupedBy: groups, columns.map { ($0.function, $0.property) }))
    case .pages(let tree, let size):
      var rows: [[Value]] = []
      var position: PagePosition?
      repeat {
        let page = try tx.page(query(tree).after(position), size: size)
        rows += try page.elements.map { try $0.values() }
        position = page.next
      } while position != nil
      return .rows(rows)
    case .nextPage(let tree, let size):
      let page = try tx.page(query(tree).after(positions[tree]), size: size)
      positions[tree] = page.next
      return .rows(try page.elements.map { try $0.values() })
    }
  }
}

extension SubjectKind {
  /// The values of a row with their names.
  static func fields(_ row: [Value]) -> [(name: String, value: Value)] {
    zip(names, row).map { (name: $0, value: $1) }
  }
}

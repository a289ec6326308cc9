import QuarryBackend
import QuarryCore
import QuarryQuery

/// Commands as the Swift code that does the same, for who looks into a failure.
enum CommandText {
  static func code(_ commands: [Command], indent: Int = 0, transaction: String? = nil) -> String {
    commands.map { code($0, indent, transaction) }.joined(separator: "\n")
  }

  private static func code(_ command: Command, _ indent: Int, _ transaction: String?) -> String {
    let space = String(repeating: "  ", count: indent)
    func block(_ opening: String, _ commands: [Command], fails: Bool, _ name: String?) -> String {
      var lines = [space + opening]
      if !commands.isEmpty { lines.append(code(commands, indent: indent + 1, transaction: name)) }
      if fails { lines.append("\(space)  throw Planned()") }
      return (lines + [space + "}"]).joined(separator: "\n")
    }
    switch command {
    case .write(let commands, let fails): return block("try store.write { tx in", commands, fails: fails, "tx")
    case .savepoint(let commands, let fails):
      return block("try \(transaction ?? "store").savepoint {", commands, fails: fails, transaction)
    case .read(let commands): return block("try store.read { tx in", commands, fails: false, "tx")
    case .freeze(let number): return "\(space)let frozen\(number) = try store.freeze()"
    case .frozen(let number, let commands):
      return block("try frozen\(number).read { tx in", commands, fails: false, "tx")
    case .letGo(let number): return "\(space)frozen\(number).close()"
    case .reopen: return "\(space)try store.close(); store = try Store(models: models, in: place)"
    case .check: return "\(space)try store.check()"
    case .state(let kind, let statement):
      return "\(space)try \(transaction ?? "store")." + code(statement, kind.shape.name, SubjectKind.names, kind)
    case .ask(let kind, let question):
      return "\(space)try \(transaction ?? "store")." + code(question, kind.shape.name)
    }
  }

  private static func code(
    _ statement: Statement, _ model: String, _ names: [String], _ kind: SubjectKind
  ) -> String {
    func object(_ row: [Value]) -> String { "\(model)(\(fields(row, kind)))" }
    func list(_ rows: [[Value]]) -> String { "[\(rows.map(object).joined(separator: ", "))]" }
    func closure(_ changes: [Change]) -> String {
      "{ \(changes.map { "$0.\($0.name) = \(value($0.value))" }.joined(separator: "; ")) }"
    }
    switch statement {
    case .insert(let rows): return rows.count == 1 ? "insert(\(object(rows[0])))" : "insert(contentsOf: \(list(rows)))"
    case .insertRecords(let rows): return "records.insert(into: \"\(model)\", \(list(rows)))"
    case .upsert(let rows): return rows.count == 1 ? "upsert(\(object(rows[0])))" : "upsert(contentsOf: \(list(rows)))"
    case .upsertRecords(let rows): return "records.upsert(into: \"\(model)\", \(list(rows)))"
    case .merge(let row, let columns):
      let paths = columns.places.map { "\\.\(names[$0])" }.joined(separator: ", ")
      return "upsert(\(object(row)), updating: \(paths))"
    case .getOrInsert(let row): return "getOrInsert(\(object(row)))"
    case .change(let key, let changes): return "update(\(model).self, \(value(key))) \(closure(changes))"
    case .replace(let row): return "update(\(object(row)))"
    case .compareAndUpdate(let row, let isStale):
      return "update(\(object(row)), ifUnchangedFrom: \(isStale ? "another" : "the stored one"))"
    case .updateIfStored(let row, let count): return "update(\(object(row)), ifStored: \\.count, is: \(count))"
    case .changeEach(let query, let changes): return "update(\(text(query))) \(closure(changes))"
    case .assign(let query, let assignments):
      let signs: [AssignmentOperation: String] = [.set: "=", .add: "+=", .subtract: "-=", .multiply: "*="]
      let texts = assignments.map { "$0.\($0.property) \(signs[$0.operation] ?? "?") \(value($0.value))" }
      return "assign(\(text(query))) { \(texts.joined(separator: "; ")) }"
    case .delete(let keys):
      return keys.count == 1
        ? "delete(\(model).self, \(value(keys[0])))"
        : "delete(\(model).self, keys: [\(keys.map(value).joined(separator: ", "))])"
    case .deleteQuery(let query): return "delete(\(text(query)))"
    case .deleteAll: return "delete(\(model).all)"
    case .insertWhileIterating(let row): return "forEach(\(model).all) { _ in try tx.insert(\(object(row))) }"
    }
  }

  private static func code(_ question: Question, _ model: String) -> String {
    switch question {
    case .get(let key): return "get(\(model).self, \(value(key)))"
    case .getMany(let keys): return "get(\(model).self, keys: [\(keys.map(value).joined(separator: ", "))])"
    case .exists(let key): return "exists(\(model).self, \(value(key)))"
    case .row(let key): return "records.get(in: \"\(model)\", key: \(value(key)))"
    case .fetch(let query): return "fetch(\(text(query)))"
    case .first(let query): return "first(\(text(query)))"
    case .any(let query): return "exists(\(text(query)))"
    case .count(let query): return "count(\(text(query)))"
    case .keys(let query): return "keys(\(text(query)))"
    case .rows(let query, let columns): return "records.fetch(\(text(query)), columns: \(columns))"
    case .frozen(let query): return "frozen(\(text(query)))"
    case .select(let query): return "select(\(text(query)), \\.note, \\.score)"
    case .grouped(let query): return "grouped(\(text(query)), by: \\.small)"
    case .aggregate(let query, let groups, let columns):
      let texts = columns.map { "\($0.function.rawValue)(\($0.property ?? ""))" }
      return "records.aggregate(\(text(query)), groupedBy: \(groups), [\(texts.joined(separator: ", "))])"
    case .pages(let query, let size): return "page(\(text(query)), size: \(size)) and all after it"
    case .nextPage(let query, let size): return "page(\(text(query)), size: \(size)) after the last one"
    }
  }

  /// The fields that are not what a new object has.
  private static func fields(_ row: [Value], _ kind: SubjectKind) -> String {
    zip(SubjectKind.names, row).enumerated().compactMap { place, field in
      place != kind.key && field.1 == SubjectKind.plain[place] ? nil : "\(field.0): \(value(field.1))"
    }.joined(separator: ", ")
  }

  static func text(_ query: QueryTree) -> String {
    var parts = [query.model]
    parts.append(query.predicate == .constant(true) ? "all" : "where(#\"\(query.predicate)\"#)")
    if !query.order.isEmpty {
      let keys = query.order.map { ($0.isDescending ? "-" : "") + $0.property }
      parts.append("sorted(\"\(keys.joined(separator: ","))\")")
    }
    if let limit = query.limit { parts.append("limit(\(limit))") }
    if query.offset != 0 { parts.append("offset(\(query.offset))") }
    return parts.joined(separator: ".")
  }

  /// A literal, with a long one cut.
  static func value(_ value: Value) -> String {
    if case .string(let string) = value, string.utf8.count > 60 {
      return "String(repeating: \"\(string.prefix(1))\", count: \(string.utf8.count - 1)) + \"\(string.suffix(1))\""
    }
    let text = "\(value)"
    return text.utf8.count > 90 ? "\(text.prefix(60))… (\(text.utf8.count) bytes)" : text
  }
}

extension SubjectKind {
  static let names = QueryGenerator.properties.map(\.name)

  /// What an object has that nothing was said about.
  static let plain: [Value] = QueryGenerator.properties.map { property in
    if property.isOptional { return .null }
    switch property.type {
    case .double: return .double(0)
    case .string: return .string("")
    case .date: return Samples.values(.date)[6]
    case .url: return Samples.values(.url)[0]
    default: return .int(0)
    }
  }
}

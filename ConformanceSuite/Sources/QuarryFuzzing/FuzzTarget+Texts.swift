import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryQuery

/// What is written by people: conditions, orders, assignments, places of stores.
extension FuzzTarget {
  private static let arguments: [Value] = [
    .int(3), .string("double"), .double(0.5), .null, .string("a"), .bool(true),
    .date(Date(timeIntervalSinceReferenceDate: 1)),
  ]

  /// As many as a text takes, if none of its `%` is in a string.
  private static func arguments(of text: String) -> [Value] {
    let places = zip(text.utf8, text.utf8.dropFirst()).count { $0 == UInt8(ascii: "%") && "@Kdif".utf8.contains($1) }
    return (0..<min(places, 100)).map { arguments[$0 % arguments.count] }
  }

  private static let conditions = [
    "int64 BETWEEN {1, 3} AND string BEGINSWITH[cd] 's'", "ANY array == 3 OR NONE array IN {1, -1}",
    "NOT (int8 + 2 * int16 % 3 > 100) && doubleMaybe != nil", "%d < int8 AND %K == %@", "int64 == %d || string == %@",
    "nested.a == 1",
    "SELF.id <= 4",
    "string LIKE '?1*' AND array.@count >= 2", "string MATCHES[c] '(a|b{1,2})*[^c-e].?$' AND int8 BETWEEN {id, 3}",
    "date > date '2001-01-01T00:00:00Z'", "`id` IN {1, 2, 3}",
    "uuid == uuid '00010203-0405-0607-0809-0A0B0C0D0EFF'", "data == data 'AP8B'", "decimal < decimal '-1.5'",
    "bool == YES AND boolMaybe == nil", "TRUEPREDICATE", "string ENDSWITH '\\u{1F642}' OR FALSEPREDICATE",
  ]

  static let predicate = FuzzTarget(
    "predicate", "conditions", codes: [.invalidQuery, .limitExceeded, .unsupported],
    seeds: { conditions.map { Array($0.utf8) } }
  ) { input in
    let tree = try PredicateParser.parse(input.text, arguments: arguments(of: input.text))
    let text = "\(tree)"
    let again: PredicateTree
    do throws(StorageError) {
      again = try PredicateParser.parse(text)
    } catch {
      // Written out it may be longer than what may be written.
      return error.code == .limitExceeded ? nil : "written as \(text) it cannot be read: \(error)"
    }
    return again == tree ? nil : "written as \(text) it is read as \(again)"
  }

  static let order = FuzzTarget(
    "order", "orders", codes: [.invalidQuery, .limitExceeded, .unsupported],
    seeds: { ["-int8,string", "author.name", "`a b`,-#in", ""].map { Array($0.utf8) } }
  ) { input in
    _ = try SortParser.parse(input.text)
    return nil
  }

  static let assignment = FuzzTarget(
    "assignment", "assignments", codes: [.invalidQuery, .limitExceeded, .unsupported],
    seeds: { ["string = 'x', int8 = int8 + 1", "a -= 2, b = nil, c = %@", "a = {1, 2}"].map { Array($0.utf8) } }
  ) { input in
    _ = try AssignmentParser.parse(input.text, arguments: arguments(of: input.text))
    return nil
  }

  static let predicateJSON = FuzzTarget(
    "predicate-json", "queries as JSON", codes: [.invalidQuery, .limitExceeded, .unsupported, .corrupt, .invalidValue],
    seeds: {
      try conditions.map { text in
        Array(
          try JSONEncoder().encode(
            QueryTree(
              model: "Every", predicate: try PredicateParser.parse(text, arguments: arguments(of: text)),
              order: [.init("int8", isDescending: true)], limit: 3, offset: 1)))
      }
    }
  ) { input in
    let tree: QueryTree
    do {
      tree = try JSONDecoder().decode(QueryTree.self, from: Data(input))
    } catch is DecodingError {
      return nil
    }
    // Numbers that JSON has no room for are refused when they are written.
    guard let data = try? JSONEncoder().encode(tree) else { return nil }
    let again = try JSONDecoder().decode(QueryTree.self, from: data)
    return again == tree ? nil : "\(tree) written and read again is \(again)"
  }

  static let url = FuzzTarget(
    "url", "places of stores", codes: [.invalidValue, .unsupported, .limitExceeded],
    seeds: {
      ["memory:", "memory:name", "file:/a/b.quarry?durability=none", "sqlite:library.db?cache=16MB", "lmdb:/x?map=1GB"]
        .map { Array($0.utf8) }
    }
  ) { input in
    let url = try StoreURL(parsing: input.text)
    let again = try StoreURL(parsing: url.text)
    return again == url && again.path == url.path ? nil : "\(url) is read as another place"
  }

  // MARK: Queries

  /// One condition for two engines that share nothing in how they answer: rows that are looked at one by one, and SQL.
  static let query = FuzzTarget(
    "query", "conditions, answered by memory and by SQLite alike",
    codes: [.invalidQuery, .limitExceeded, .unsupported, .invalidValue], seeds: { conditions.map { Array($0.utf8) } }
  ) { input in
    let tree = QueryTree(
      model: "Every", predicate: try PredicateParser.parse(input.text, arguments: arguments(of: input.text)))
    let stores = try FuzzStores.shared.get()
    let answers = stores.map { store in Result { try store.records.fetch(tree, columns: ["id"]).map(\.values) } }
    switch (answers[0], answers[1]) {
    case (.success(let left), .success(let right)):
      return left == right ? nil : "memory gives \(left), SQLite \(right)"
    case (.failure(let left as StorageError), .failure(let right as StorageError)):
      if left.code != right.code { return "memory throws \(left), SQLite \(right)" }
      throw left
    default: return "memory: \(answers[0]), SQLite: \(answers[1])"
    }
  }
}

/// The stores that conditions are tried on.
private enum FuzzStores {
  static let shared = Result<[Store], any Error> {
    let folder = try FuzzFolder()
    return try [
      Store(opening: MemoryConfiguration()), Store(opening: SQLiteConfiguration(path: folder.path(of: "query.db"))),
    ].map { store in
      try FuzzModel.fill(store)
      return store
    }
  }
}

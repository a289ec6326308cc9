import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Objects whose texts have the same bytes before and after, cut at other places: rows keep the bytes of one property beside
/// those of the next.
enum MovedByteCases {
  private static let properties = ["first", "second", "third", "fourth", "data"]

  private static let model = ModelSchema(
    name: "Texts",
    properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "first", type: .string)]
      + properties[1...3].map { PropertySchema(name: $0, type: .string, isOptional: true) }
      + [PropertySchema(name: "number", type: .int64), PropertySchema(name: "data", type: .data, isOptional: true)],
    primaryKey: 0)

  private typealias Texts = [String?]

  private static func record(_ texts: Texts, number: Int = 0) -> Record {
    var fields: [(name: String, value: Value)] = [("id", .int(1)), ("number", .int(Int64(number)))]
    for (name, text) in zip(properties, texts) {
      fields.append((name, text.map { name == "data" ? .data(Data($0.utf8)) : .string($0) } ?? .null))
    }
    return Record(fields)
  }

  /// Two objects, and the properties in which they differ.
  private static let pairs: [(before: Texts, after: Texts, changed: [String])] = [
    (["ab", "cd", "ef", "gh", "ij"], ["abc", "d", "ef", "gh", "ij"], ["first", "second"]),
    (["ab", "cd", "ef", "gh", "ij"], ["a", "bcd", "ef", "gh", "ij"], ["first", "second"]),
    (["ab", "cd", "ef", "gh", "ij"], ["ab", "c", "def", "gh", "ij"], ["second", "third"]),
    (["ab", "cd", "ef", "gh", "ij"], ["ab", "cd", "ef", "ghi", "j"], ["fourth", "data"]),
    (["ab", "cd", "ef", "gh", "ij"], ["ab", "cd", "", "efgh", "ij"], ["third", "fourth"]),
    (["", "ab", "", "", "c"], ["ab", "", "", "", "c"], ["first", "second"]),
    (["", "ab", nil, nil, "c"], ["", nil, "ab", nil, "c"], ["second", "third"]),
    (["a", "b", "", "c", nil], ["a", "b", nil, "c", nil], ["third"]),
    (["a", nil, nil, nil, "bc"], ["ab", nil, nil, nil, "c"], ["first", "data"]),
    (["aa", "aa", "aa", "aa", "aa"], ["a", "aaa", "aa", "aaa", "a"], ["first", "second", "fourth", "data"]),
    (["x", "", "", "", ""], ["", "", "", "", "x"], ["first", "data"]),
    (["ab", "cd", nil, "ef", "gh"], ["ab", "cde", nil, "f", "gh"], ["second", "fourth"]),
  ]

  private static func moved(
    _ id: String, _ clauses: [String], _ summary: String, needs: Set<Capability> = [], line: Int = #line,
    _ body: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(id, clauses, summary, needs: needs, line: line) { kit in try body(kit) }
  }

  static let all: [ConformanceCase] = [
    moved(
      "OBS.moved-bytes-in-records", ["OBS-4", "OBS-6", "OBS-8"],
      "Bytes that go from one text to the next have changed both."
    ) { kit in
      let store = try kit.open(program: [model], at: kit.makePlace())
      for (before, after, changed) in pairs {
        for (old, new) in [(before, after), (after, before)] {
          let about = "\(old) to \(new)"
          try store.records.upsert(into: "Texts", [record(old)])
          let told = Told<QueryChange<Record>>()
          let token = try store.observe(QueryTree(model: "Texts")) { told.note($0) }
          _ = try told.next(about)
          try store.records.upsert(into: "Texts", [record(new)])
          let updates = try told.next(about).updates
          try expectEqual(updates.map { $0.properties.sorted() }, [changed.sorted()], about)
          token.cancel()
        }
      }
    },
    moved("MOVE.diff-moved-bytes", ["MOVE-5"], "Two stores differ in texts whose bytes together are the same.") { kit in
      let (left, right) = (
        try kit.open(program: [model], at: kit.makePlace()), try kit.open(program: [model], at: kit.makePlace())
      )
      for (before, after, changed) in pairs {
        try left.records.upsert(into: "Texts", [record(before)])
        try right.records.upsert(into: "Texts", [record(after)])
        let found = try left.differences(from: right)
        try expectEqual(found.count, 1, "\(before) and \(after)")
        guard case .values(let values)? = found.first?.content else {
          throw ConformanceFailure(message: "\(before) and \(after): \(found)", file: #fileID, line: #line)
        }
        try expectEqual(values.map(\.name).sorted(), changed.sorted(), "\(before) and \(after)")
      }
    },
    moved(
      "CRUD.unchanged-moved-bytes", ["CRUD-9"],
      "An object whose bytes went from one text to the next is not unchanged.",
      needs: [.compareAndUpdate]
    ) { kit in
      let store = try kit.store(Item.self)
      let texts = [("ab", "cd"), ("abc", "d"), ("a", "bcd"), ("abcd", ""), ("", "abcd")]
      for (name, note) in texts {
        for (other, otherNote) in texts where other != name {
          try store.upsert(Item(1, name: name, note: note))
          let about = "\(name), \(note) and \(other), \(otherNote)"
          try expectError(.conflict, about) {
            try store.update(Item(1, name: "new"), ifUnchangedFrom: Item(1, name: other, note: otherNote))
          }
          try expectEqual(try store.get(Item.self, 1)?.name, name, about)
          try store.update(Item(1, name: "new"), ifUnchangedFrom: Item(1, name: name, note: note))
        }
      }
    },
    moved(
      "OBS.moved-bytes-alone", ["OBS-17"], "A commit that only moves bytes from one text to the next has changed.",
      needs: [.captureKeys]
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<5).map { Item($0, name: "ab", note: "cd") })
      let watched = try Watched(store, Item.where { $0.rank == nil }, .items)
      let change = try unwrap(
        try watched.expectChange { try store.upsert(Item(3, name: "abc", note: "d")) }, "a change of the list")
      try expectEqual(change.updates.map { $0.properties.sorted() }, [["name", "note"]])
      try expectEqual(change.updates.map(\.new), [Item(3, name: "abc", note: "d")])
    },
  ]
}

import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Each code that calls alone can bring about, and what its error says.
enum ErrorCodeCases {
  private static let secret = "s3cr3t-value"

  private static func code(
    _ code: StorageError.Code, _ model: String? = nil, _ property: String? = nil, key: String? = nil,
    needs: Set<Capability> = [], persists: Bool = false,
    _ provoke: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "ERR.\(code)", ["ERR-1", "ERR-2"],
      "The error \(code) has its code, a message without values, and what it is about.",
      needs: needs, requiresPersistence: persists, level: .core, without: ConformanceVariant.ofReads
    ) { kit in
      let error = try expectError(code) { try provoke(kit) }
      try expect(!error.message.isEmpty, "no message")
      try expect(!"\(error)".contains(secret), "the error tells a stored value: \(error)")
      if let model { try expectEqual(error.model, model) }
      if let property { try expectEqual(error.property, property) }
      if let key { try expect(error.key?.contains(key) == true, "the key is \(error.key ?? "nil")") }
      try expect("\(error)".contains("\(code)"), "the description does not tell the code: \(error)")
    }
  }

  private static func store(_ kit: ConformanceContext) throws -> Store {
    let store = try kit.store(Item.self)
    try store.insert(contentsOf: [Item(1, code: secret, rank: .max, name: secret, note: secret), Item(2)])
    return store
  }

  static let all: [ConformanceCase] =
    [
      code(.closed) { kit in
        let store = try store(kit)
        try store.close()
        _ = try store.count(Item.all)
      },
      code(.transactionEnded) { kit in
        var escaped: ReadTransaction?
        try store(kit).read { escaped = $0 }
        _ = try escaped?.count(Item.all)
      },
      code(.wrongThread) { kit in
        try store(kit).read { tx in
          nonisolated(unsafe) let other = tx
          try onAnotherThread { _ = try other.count(Item.all) }
        }
      },
      code(.readOnly, needs: [.openReadOnly], persists: true) { kit in
        let place = try kit.makePlace()
        try kit.open([Item.self], at: place).close()
        var options = OpenOptions()
        options.isReadOnly = true
        try kit.open([Item.self], at: place, options: options).insert(Item(1, name: secret))
      },
      code(.reentrant) { kit in
        let store = try store(kit)
        _ = try store.read { _ in try store.insert(Item(9, name: secret)) }
      },
      code(.iterationActive) { kit in
        try store(kit).write { tx in
          let cursor = try tx.cursor(Item.all)
          _ = try cursor.next()
          try tx.insert(Item(9, name: secret))
        }
      },
      code(.notFound, "Item", key: "77") { try store($0).update(Item(77, name: secret)) },
      code(.duplicateKey, "Item", key: "1") { try store($0).insert(Item(1, code: "new", name: secret)) },
      code(.uniqueViolation, "Item", "code") { try store($0).insert(Item(9, code: secret)) },
      code(.conflict, "Item", key: "1") { kit in
        try store(kit).update(Item(1, name: secret), ifUnchangedFrom: Item(1, name: "other"))
      },
      code(.busy) { kit in
        let store = try store(kit)
        let writer = try ScriptedTransaction.write(store)
        defer { writer.abort() }
        try store.write(timeout: 0.01) { try $0.insert(Item(9, name: secret)) }
      }.only(.one),
      code(.limitExceeded) { kit in
        let deep = (0..<300).reduce(PredicateTree.constant(true)) { inner, _ in .not(inner) }
        _ = try store(kit).read { try $0.records.count(QueryTree(model: "Item", predicate: deep)) }
      },
      code(.schemaMismatch, "Numbered") { try store($0).insert(Numbered(id: 1, number: 1)) },
      code(.invalidValue, "Item", "rank") { kit in
        _ = try store(kit).assign(Item.all) { $0.rank += 1 }
      },
      code(.missingValue, "Item", "name") { kit in
        try store(kit).write { tx in
          try tx.records.insert(
            into: "Item", [Record(["id": .int(9), "code": .string(secret), "name": .null, "score": .double(0)])])
        }
      },
      code(.invalidQuery, "Item") { kit in
        _ = try store(kit).read { tx in
          try tx.records.count(
            QueryTree(model: "Item", predicate: .compare(.named("nmae"), .equal, .value(.string(secret)))))
        }
      },
      code(.unsupported) { _ = try store($0).fetch(Item.all.sorted(by: \.tags)) },
    ] + files

  // MARK: What is at the place

  private static func largest(_ paths: [String]) throws -> String? {
    try paths.map { (path: $0, count: try Data(contentsOf: URL(fileURLWithPath: $0)).count) }
      .max { $0.count < $1.count }?.path
  }

  /// Opens a store, damages its largest file, and looks that opening it again is an error and leaves the file as it is.
  private static func damaged(
    _ name: String, _ summary: String, _ damage: @escaping @Sendable (Data) -> Data
  ) -> ConformanceCase {
    ConformanceCase(
      "OPEN.damaged-\(name)", ["OPEN-1", "ERR-1", "ERR-3"], summary, requiresPersistence: true,
      without: ConformanceVariant.ofReads.union([.reopened])
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      try first.insert(contentsOf: (0..<50).map { Item($0, name: "n\($0)") })
      try first.close()
      // A store without files has nothing that could be damaged.
      guard let path = try largest(kit.files(at: place)) else { return }
      let damaged = damage(try Data(contentsOf: URL(fileURLWithPath: path)))
      try damaged.write(to: URL(fileURLWithPath: path))
      let error = try expectError(.corrupt) { try kit.open([Item.self], at: place).fetch(Item.all) }
      try expect(!error.message.isEmpty)
      try expectEqual(try Data(contentsOf: URL(fileURLWithPath: path)), damaged, "the file")
    }
  }

  private static let files: [ConformanceCase] = [
    damaged("text", "A file that is no store is corrupt, and left as it is.") { _ in
      Data(String(repeating: "This is no store.\n", count: 300).utf8)
    },
    damaged("zeros", "A file of zeros is corrupt, and left as it is.") { Data(count: $0.count) },
    damaged("header", "A store whose first bytes are others is corrupt, and left as it is.") { data in
      var data = data
      for place in 0..<min(16, data.count) { data[place] ^= 0xFF }
      return data
    },
    ConformanceCase(
      "OPEN.read-only-files", ["OPEN-2"], "Opened for reading, no file of the store is changed.",
      needs: [.openReadOnly], requiresPersistence: true,
      without: ConformanceVariant.ofReads.union([.reopened])
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      try first.insert(contentsOf: (0..<50).map { Item($0, rank: $0) })
      try first.close()
      func contents() throws -> [Data] {
        try kit.files(at: place).map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
      }
      let before = try contents()
      var options = OpenOptions()
      options.isReadOnly = true
      let store = try kit.open([Item.self], at: place, options: options)
      try expectEqual(try store.count(Item.where { $0.rank >= 25 }), 25)
      try expectError(.readOnly) { try store.delete(Item.all) }
      try store.close()
      try expect(try contents() == before, "a file has changed")
    },
  ]
}

import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Stores whose engine knows whether they were closed: what is missing of one is never missing in silence.
enum ClosedStoreCases {
  private static let items = (0..<30).map { Item($0, code: "code \($0)", rank: $0, name: "n\($0)") }

  /// Whether the engine says of a store whether it was closed.
  static func knowsEnd(_ kit: ConformanceContext) throws -> Bool {
    let place = try kit.makePlace()
    try kit.open([Item.self], at: place).close()
    let store = try kit.open([Item.self], at: place)
    defer { try? store.close() }
    guard let wasClosed = store.openingReport.wasClosed else { return false }
    try expect(wasClosed, "a store that was closed is said not to have been")
    return true
  }

  /// The bytes of the place's only file.
  ///
  /// - Parameter others: Paths of ends that were put aside.
  static func file(
    _ kit: ConformanceContext, _ place: any BackendProvider, beside others: [String] = []
  ) throws -> (path: String, bytes: Data) {
    let files = kit.files(at: place).filter { !others.contains($0) }
    try expectEqual(files.count, 1, "files of a store whose engine knows its end")
    let path = try unwrap(files.first)
    return (path, try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  static func put(_ bytes: Data, _ path: String) throws {
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  /// A place with a store that was never opened by anybody but for making it, with these bytes in the place of its own.
  static func place(_ kit: ConformanceContext, with bytes: Data) throws -> any BackendProvider {
    let place = try kit.makePlace()
    try kit.open([Item.self], at: place).close()
    try put(bytes, file(kit, place).path)
    return place
  }

  /// The bytes of a store as a killed process leaves it that has committed the items one by one, and where each commit ends.
  static func left(
    _ kit: ConformanceContext, _ items: [Item], _ durability: BackendManifest.Durability = .powerLoss
  ) throws -> (bytes: Data, ends: [Int]) {
    let place = try kit.makePlace()
    var options = OpenOptions()
    options.durability = durability
    let store = try kit.open([Item.self], at: place, options: options)
    var ends: [Int] = []
    for item in items {
      try store.insert(item)
      ends.append(try file(kit, place).bytes.count)
    }
    let bytes = try file(kit, place).bytes
    try store.close()
    return (bytes, ends)
  }

  /// A case about the end of a store whose engine knows it: other engines have nothing to show.
  static func withEnd(
    _ name: String, _ clauses: [String], _ summary: String, needs: Set<Capability> = [],
    without: Set<ConformanceVariant> = ConformanceVariant.allButFresh.subtracting([.encrypted]),
    file: String = #fileID, line: Int = #line, _ body: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "DUR.\(name)", clauses, summary, needs: needs.union([.openReadOnly, .openDurability]), requiresPersistence: true,
      without: without, file: file, line: line
    ) { kit in
      guard try knowsEnd(kit) else { return }
      try body(kit)
    }
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "DUR.closed-damaged", ["DUR-4", "ERR-3"],
      "A closed store that was cut or changed is corrupt, or all is there.", requiresPersistence: true,
      within: .seconds(60)
    ) { kit in
      guard try knowsEnd(kit) else { return }
      let place = try kit.makePlace()
      let store = try kit.open([Item.self], at: place)
      try store.insert(contentsOf: items.prefix(10))
      let border = try file(kit, place).bytes.count
      try store.insert(contentsOf: items.dropFirst(10))
      try store.close()
      let (path, whole) = try file(kit, place)
      var random = kit.random(11)
      var damaged: [(String, Data)] = [("cut at a commit", whole.prefix(border))]
      for _ in 0..<20 {
        let length = Int.random(in: 1..<whole.count, using: &random)
        damaged.append(("cut at \(length)", whole.prefix(length)))
        let bit = Int.random(in: 0..<whole.count * 8, using: &random)
        var changed = whole
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        damaged.append(("bit \(bit) changed", changed))
      }
      for (about, bytes) in damaged {
        for isReadOnly in [true, false] {
          try put(bytes, path)
          var options = OpenOptions()
          options.isReadOnly = isReadOnly
          do {
            let store = try kit.open([Item.self], at: place, options: options)
            try expectEqual(try store.fetch(Item.all), items, about)
            try store.close()
          } catch let error as StorageError where error.code == .corrupt {
            let left = try Data(contentsOf: URL(fileURLWithPath: path))
            try expect(left.count == bytes.count, "\(about): what is corrupt was cut")
          }
        }
      }
      try put(whole, path)
      try expectEqual(try kit.open([Item.self], at: place).fetch(Item.all), items)
    },
    ConformanceCase(
      "DUR.tail-kept", ["DUR-5", "DUR-4", "OPEN-6", "CARE-5"],
      "What cannot be read at the end of a store that was not closed is kept, and told by the report and by check.",
      needs: [.openReadOnly, .check, .destroy], requiresPersistence: true, without: [.reopened]
    ) { kit in
      guard try knowsEnd(kit) else { return }
      let first = try kit.makePlace()
      let store = try kit.open([Item.self], at: first)
      try store.insert(contentsOf: items.prefix(10))
      let border = try file(kit, first).bytes.count
      try store.insert(contentsOf: items.dropFirst(10))
      // As a process leaves it that is killed now.
      let whole = try file(kit, first).bytes
      let untouched = try kit.open([Item.self], at: place(kit, with: whole))
      try expectEqual(untouched.openingReport.wasClosed, false)
      try expect(untouched.openingReport.tail == nil, "a tail of a file that is whole")
      try expectEqual(try untouched.fetch(Item.all), items)
      var damaged = whole
      damaged[border + (whole.count - border) / 2] ^= 1
      let place = try place(kit, with: damaged)
      var options = OpenOptions()
      options.isReadOnly = true
      let reader = try kit.open([Item.self], at: place, options: options)
      try expectEqual(try unwrap(reader.openingReport.tail).offset, border)
      try expect(reader.openingReport.tail?.path == nil, "opened for reading, it stays where it is")
      try expect(!(try reader.check().isEmpty), "check says nothing")
      try reader.close()
      try expect(try file(kit, place).bytes == damaged, "reading has changed the file")
      let opened = try kit.open([Item.self], at: place)
      try expectEqual(opened.openingReport.wasClosed, false)
      let tail = try unwrap(opened.openingReport.tail, "the report has no tail")
      try expectEqual(tail.bytes, whole.count - border)
      let kept = try Data(contentsOf: URL(fileURLWithPath: try unwrap(tail.path)))
      try expect(kept.range(of: damaged.suffix(from: border)) != nil, "the tail is not in \(tail.path ?? "")")
      try expectEqual(try opened.fetch(Item.all), Array(items.prefix(10)))
      try expect(!(try opened.check().isEmpty), "check says nothing")
      try opened.insert(Item(99))
      try opened.close()
      let again = try kit.open([Item.self], at: place)
      try expectEqual(again.openingReport.wasClosed, true)
      try expect(again.openingReport.tail == nil, "told again by the report")
      try expectEqual(try again.keys(Item.all), Array(0..<10) + [99])
      try expect(!(try again.check().isEmpty), "check says nothing while the tail lies there")
      try again.destroy()
      try expectEqual(kit.files(at: place), [], "files after destroy")
    },
    ConformanceCase(
      "OPEN.twice", ["OPEN-5", "ISO-1", "ISO-3"],
      "A store that is opened again in the same process is one store: each sees what the others commit.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      try first.insert(Item(1))
      let second = try kit.open([Item.self, Numbered.self], at: place)
      try expectEqual(try second.fetch(Item.all), [Item(1)])
      let frozen = try first.freeze()
      try second.insert(Item(2))
      try expectEqual(try first.keys(Item.all), [1, 2])
      try expectError(.duplicateKey) { try first.insert(Item(2)) }
      try expectEqual(try frozen.count(Item.all), 1)
      try first.write { tx in
        try tx.insert(Item(3))
        try expectEqual(try second.keys(Item.all), [1, 2], "what is not committed")
      }
      try expectEqual(try second.keys(Item.all), [1, 2, 3])
      if kit.manifest.capabilities[.compact]?.isSupported == true { try second.compact() }
      let third = try kit.open([Item.self], at: place)
      try third.insert(Item(4))
      try second.close()
      try expectError(.closed) { try second.keys(Item.all) }
      try expectEqual(try frozen.count(Item.all), 1)
      frozen.close()
      try first.insert(Item(5))
      try first.close()
      try expectEqual(try third.keys(Item.all), [1, 2, 3, 4, 5])
      try third.insert(Item(6))
      try third.close()
      try expectEqual(try kit.open([Item.self], at: place).keys(Item.all), Array(1...6))
    },
  ]
}

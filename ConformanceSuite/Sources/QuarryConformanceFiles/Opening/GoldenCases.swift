import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDump
import QuarryEncryption
import QuarryQuery

/// Stores that earlier versions of the backend wrote: a format that reads what it writes itself may be another one by now.
enum GoldenCases {
  static let all: [ConformanceCase] = [
    golden("read", "A store of an earlier version has what it had, read from alone.") { golden, kit in
      let place = try made(golden, kit)
      let store = try open(golden, place, kit, isReadOnly: true)
      try expectEqual(try text(store), golden.dump, "\(golden)")
      try expectEqual(try store.check(), [], "\(golden)")
      try store.close()
    },
    golden("written", "A store of an earlier version is written to, and opened again.") { golden, kit in
      let place = try made(golden, kit)
      let store = try open(golden, place, kit)
      let models = try store.read { try $0.models() }
      try expect(!models.isEmpty, "\(golden) has no model")
      for model in models {
        let query = QueryTree(model: model.name)
        let rows = try store.read { try $0.records.fetch(query) }
        try expect(!rows.isEmpty, "\(golden) has no \(model.name)")
        try store.write { tx in
          try expectEqual(try tx.records.delete(query), rows.count, "\(golden)")
          try tx.records.insert(into: model.name, rows)
        }
      }
      try store.close()
      let again = try open(golden, place, kit)
      try expectEqual(try text(again), golden.dump, "\(golden)")
      try expectEqual(try again.check(), [], "\(golden)")
    },
  ]

  private static func golden(
    _ name: String, _ summary: String, _ body: @escaping @Sendable (GoldenStore, ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "OPEN.golden-\(name)", ["OPEN-7", "FILE-16"], summary, needs: [.check], requiresPersistence: true,
      without: ConformanceVariant.allButFresh
    ) { kit in
      // A backend's first version has none.
      for golden in kit.harness.goldenStores { try body(golden, kit) }
    }
  }

  private static func made(_ golden: GoldenStore, _ kit: ConformanceContext) throws -> any BackendProvider {
    let place = try kit.makePlace()
    try golden.make(place)
    return place
  }

  private static func open(
    _ golden: GoldenStore, _ place: any BackendProvider, _ kit: ConformanceContext, isReadOnly: Bool = false
  ) throws -> Store {
    var options = OpenOptions()
    options.isReadOnly = isReadOnly
    if let key = golden.key { options.encryption = Encryption(try EncryptionKey(key)) }
    return try kit.open([], at: place, options: options)
  }

  private static func text(_ store: Store) throws -> String {
    var bytes: [UInt8] = []
    _ = try store.dump { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }
}

import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDump
import QuarryEncryption

/// What a sealed store leaves on the disk while it is used: nothing that can be read.
enum CanaryCases {
  /// A sealed store of canaries, and what may be done with it.
  private struct Cage {
    let scene: SealedScene
    let store: Store
    var kit: ConformanceContext { scene.kit }
    private static let name = Canary.model.name

    init(_ scene: SealedScene, _ key: UInt8? = 1) throws {
      self.scene = scene
      store = try Self.open(scene, key)
    }

    static func open(
      _ scene: SealedScene, _ key: UInt8? = 1, _ model: ModelSchema = Canary.model, _ migration: Migration = .automatic
    ) throws -> Store {
      try scene.kit.open(
        program: [model], at: scene.place, options: try SealedScene.options(key), migration: migration)
    }

    func insert(_ ids: Range<Int>, bytes: Int = 40) throws {
      try store.records.insert(into: Self.name, ids.map { Canary.record($0, bytes: bytes) })
    }

    func query(_ predicate: String? = nil) throws -> QueryTree {
      guard let predicate else { return QueryTree(model: Self.name) }
      return QueryTree(model: Self.name, predicate: try PredicateParser.parse(predicate))
    }

    /// Nothing in the place's folder is in the clear.
    func expectNothing(_ about: String, file: String = #fileID, line: Int = #line) throws {
      let found = Canary.found(in: try scene.everything())
      try expect(found.isEmpty, "\(about): in the clear: \(found.joined(separator: "; "))", file: file, line: line)
    }
  }

  private static func canary(
    _ name: String, _ summary: String, clauses: [String] = ["ENC-3"], needs: Set<Capability> = [],
    within limit: Duration = .seconds(30), file: String = #fileID, line: Int = #line,
    _ body: @escaping @Sendable (SealedScene) throws -> Void
  ) -> ConformanceCase {
    .sealed("canary-\(name)", clauses, summary, needs: needs, within: limit, file: file, line: line) { try body($0) }
  }

  static let all: [ConformanceCase] = [control] + writing + schema + care

  /// That the search finds what is there: else the other cases could not fail.
  private static let control = canary(
    "control", "In a plain store the canaries are found: what the other cases look for is there to be seen.",
    clauses: ["ENC-3"]
  ) { scene in
    let cage = try Cage(scene, nil)
    try cage.insert(0..<20)
    try cage.store.close()
    let found = Canary.found(in: try scene.everything())
    try expect(found.contains { $0.hasPrefix("text at") }, "no text of a plain store was found: \(found)")
    try expect(found.contains { $0.hasPrefix("number") }, "no number of a plain store was found: \(found)")
  }

  // MARK: Writing

  /// What is done with an open store, step by step, with a look at all files after each.
  private static let writes: [(name: String, summary: String, body: @Sendable (Cage) throws -> Void)] = [
    ("insert", "objects that are stored", { try $0.insert(0..<50) }),
    ("one-by-one", "objects that are stored one by one", { cage in for id in 0..<12 { try cage.insert(id..<id + 1) } }),
    ("large", "values of many pages", { try $0.insert(0..<6, bytes: 60_000) }),
    ("medium", "values of about a page", { try $0.insert(0..<40, bytes: 4_000) }),
    ("many", "objects that fill many pages", { try $0.insert(0..<3_000, bytes: 100) }),
    (
      "delete", "objects that are deleted",
      { cage in
        try cage.insert(0..<200)
        _ = try cage.store.records.delete(cage.query())
      }
    ),
    (
      "update", "values that are replaced",
      { cage in
        try cage.insert(0..<100)
        for round in 0..<4 {
          _ = try cage.store.records.assign(
            cage.query(), [AssignmentTree("\(Canary.word)Text", .set, .string("\(Canary.word) round \(round)"))])
        }
      }
    ),
    (
      "upsert", "objects that are stored again",
      { cage in
        try cage.insert(0..<50)
        _ = try cage.store.records.upsert(into: Canary.model.name, (25..<75).map { Canary.record($0, bytes: 200) })
      }
    ),
    (
      "rolled-back", "what a transaction wrote that was rolled back",
      { cage in
        struct Stop: Error {}
        try? cage.store.write { tx in
          try tx.records.insert(into: Canary.model.name, (0..<2_000).map { Canary.record($0, bytes: 500) })
          throw Stop()
        }
        try cage.insert(0..<1)
      }
    ),
    (
      "savepoint", "what a savepoint wrote that was rolled back",
      { cage in
        struct Stop: Error {}
        try cage.store.write { tx in
          try tx.records.insert(into: Canary.model.name, (0..<20).map { Canary.record($0) })
          try? tx.savepoint {
            try tx.records.insert(into: Canary.model.name, (20..<1_000).map { Canary.record($0, bytes: 300) })
            throw Stop()
          }
        }
      }
    ),
    (
      "refused", "what a statement wrote that was refused",
      { cage in
        try cage.insert(0..<20)
        try expectError(.duplicateKey) { try cage.insert(10..<400) }
      }
    ),
    (
      "sorted", "what is sorted in a query without an index",
      { cage in
        try cage.insert(0..<2_000, bytes: 300)
        var query = try cage.query()
        query.order = try SortParser.parse("-\(Canary.word)Double, -\(Canary.word)Text")
        try expectEqual(try cage.store.records.fetch(query).count, 2_000)
      }
    ),
    (
      "long-keys", "primary keys that are longer than pages of indexes take",
      { cage in
        try cage.store.records.insert(
          into: Canary.model.name,
          [100, 400, 1_000, 5_000].map { length in
            Record([
              "\(Canary.word)Key": .string(String(repeating: "\(Canary.word) ", count: length / 13)),
              "\(Canary.word)Text": .string(String(repeating: "\(Canary.word) t", count: length / 13)),
            ])
          })
      }
    ),
    (
      "snapshot", "what is written beside a snapshot that is open",
      { cage in
        try cage.insert(0..<50)
        let frozen = try cage.store.freeze()
        defer { frozen.close() }
        for id in 50..<60 { try cage.insert(id..<id + 1, bytes: 3_000) }
        try cage.expectNothing("beside a snapshot")
      }
    ),
  ]

  private static let writing: [ConformanceCase] = writes.map { write in
    canary(write.name, "Of \(write.summary) nothing is in the clear, while the store is open and afterwards.") {
      scene in
      let cage = try Cage(scene)
      try cage.expectNothing("made")
      try write.body(cage)
      try cage.expectNothing("open")
      try cage.store.close()
      try cage.expectNothing("closed")
      let again = try Cage(scene)
      try again.expectNothing("opened again")
      try expectEqual(try again.store.check(), [])
      try again.store.close()
      try again.expectNothing("closed again")
    }
  }

  // MARK: Models

  private static func changed(_ change: (inout ModelSchema) -> Void) -> ModelSchema {
    var model = Canary.model
    change(&model)
    return model
  }

  private static let schema: [ConformanceCase] = [
    (
      "index", "an index that is made",
      changed { $0.indexes.append(IndexSchema(name: "\(Canary.word)New", columns: [.init(slot: 3), .init(slot: 1)])) }
    ),
    ("index-dropped", "indexes that are dropped", changed { $0.indexes = [] }),
    (
      "property", "a property that is added, with a default",
      changed {
        $0.properties.append(
          PropertySchema(name: "\(Canary.word)Added", type: .string, defaultValue: .string("\(Canary.word) default")))
      }
    ),
    (
      "unique", "an index that becomes unique",
      changed {
        $0.indexes = [IndexSchema(name: "\(Canary.word)Unique", columns: [.init(slot: 0)], isUnique: true)]
      }
    ),
  ].map { name, summary, model in
    canary("schema-\(name)", "Of \(summary) nothing is in the clear.", needs: [.schemaAddProperty]) { scene in
      let cage = try Cage(scene)
      try cage.insert(0..<300)
      try cage.store.close()
      let migrated = try Cage.open(scene, 1, model)
      try cage.expectNothing("open")
      try expectEqual(try migrated.check(), [])
      try migrated.close()
      try cage.expectNothing("closed")
    }
  }

  // MARK: Care

  /// Where a copy goes, and its path.
  private static func target(_ kit: ConformanceContext) throws -> (scene: SealedScene, path: String) {
    let scene = try SealedScene(kit)
    return (scene, try unwrap(kit.harness.secondProcess?.address(kit.undecorated(scene.place)), "a path"))
  }

  private static let care: [ConformanceCase] = [
    canary(
      "compact", "Of what a compaction moves nothing is in the clear.", clauses: ["ENC-3", "ENC-7"], needs: [.compact]
    ) {
      scene in
      let cage = try Cage(scene)
      try cage.insert(0..<2_000, bytes: 200)
      _ = try cage.store.records.delete(cage.query("\(Canary.word)Key > '\(Canary.word) key 3'"))
      try cage.store.compact()
      try cage.expectNothing("open")
      try cage.store.close()
      try cage.expectNothing("closed")
      try scene.expectUntouched(.keyRequired) { try Cage.open(scene, nil) }
      try scene.expectUntouched(.wrongKey) { try Cage.open(scene, 2) }
      try expectEqual(try Cage.open(scene).check(), [])
    },
    canary(
      "backup", "A backup of a sealed store is sealed, and opens with its key.", clauses: ["ENC-3", "ENC-7"],
      needs: [.backup]
    ) { scene in
      let cage = try Cage(scene)
      try cage.insert(0..<500)
      let (copy, path) = try target(scene.kit)
      try cage.store.backup(to: path)
      let found = Canary.found(in: try copy.everything())
      try expect(found.isEmpty, "in the clear: \(found)")
      let opened = try Cage.open(copy)
      try expectEqual(try opened.records.fetch(cage.query()).count, 500)
      try expectEqual(try opened.check(), [])
      try opened.close()
      try copy.expectUntouched(.keyRequired) { try Cage.open(copy, nil) }
      try copy.expectUntouched(.wrongKey) { try Cage.open(copy, 2) }
    },
    canary(
      "quarantine", "A sealed store that is put aside is sealed, and the one that takes its place, too.",
      clauses: ["ENC-3", "ENC-7"]
    ) { scene in
      let cage = try Cage(scene)
      try cage.insert(0..<100)
      try cage.store.close()
      let other = changed {
        $0.properties[1].type = .int64
        $0.indexes = []
      }
      let fresh = try Cage.open(scene, 1, other, .startOver(keeping: .quarantine))
      let place = try unwrap(fresh.openingReport.quarantine, "where the old store is")
      try cage.expectNothing("started over")
      try expectEqual(try fresh.records.fetch(cage.query()).count, 0)
      try fresh.close()
      try scene.expectUntouched(.keyRequired) { try Cage.open(scene, nil, other) }
      guard let kept = try scene.kit.harness.place(at: place) else { return }
      try expectError(.keyRequired) { try kept.open(OpenOptions()) }
      let old = try scene.kit.open(program: [Canary.model], at: kept, options: try SealedScene.options(1))
      try expectEqual(try old.records.fetch(cage.query()).count, 100)
    },
    canary(
      "rehearsal", "A rehearsal of a sealed store leaves nothing, and nothing in the clear.",
      clauses: ["ENC-3", "ENC-7"]
    ) {
      scene in
      let cage = try Cage(scene)
      try cage.insert(0..<300)
      try cage.store.close()
      let before = try Set(scene.everything().keys)
      let model = changed { $0.indexes = [] }
      var seen: [String] = []
      let scratch = WatchedPlace(inner: try scene.kit.undecorated(scene.kit.makePlace())) { options in
        if options.encryption == nil { seen.append("a copy was made without a key") }
      }
      let report = try Store.rehearse(
        program: [model], in: scene.kit.undecorated(scene.place), options: try SealedScene.options(1), scratch: scratch)
      try expectEqual(report.error.map { "\($0)" }, nil)
      try expectEqual(seen, [])
      try cage.expectNothing("rehearsed")
      try expectEqual(try Set(scene.everything().keys), before)
    },
    canary(
      "copy", "A copy is sealed with the key that its destination is given, and plain without one.",
      clauses: ["ENC-3", "ENC-7"]
    ) { scene in
      let cage = try Cage(scene)
      try cage.insert(0..<300)
      try cage.store.close()
      for key: UInt8? in [2, nil] {
        let target = try SealedScene(scene.kit)
        var options = CopyOptions()
        options.source = try SealedScene.options(1)
        options.destination = try SealedScene.options(key)
        let report = try Store.copy(
          from: scene.kit.undecorated(scene.place), to: target.kit.undecorated(target.place), options: options)
        try expectEqual(report.rows, 300)
        try expectEqual(Canary.found(in: try target.everything()).isEmpty, key != nil, "key \(key ?? 0)")
        let copy = try Cage.open(target, key)
        try expectEqual(try copy.differences(from: Cage.open(scene)).count, 0)
      }
      try cage.expectNothing("copied")
    },
    canary("dump", "A dump is plain, and what is restored of it has the key that it is given.", clauses: ["ENC-7"]) {
      scene in
      let cage = try Cage(scene)
      try cage.insert(0..<100)
      try CopyScene.inFolder { path in
        try cage.store.dump(to: path)
        try expect(
          !Canary.found(in: [path: Data(contentsOf: URL(fileURLWithPath: path))]).isEmpty, "a dump is not plain")
        let target = try SealedScene(scene.kit)
        try Store.restore(path, to: target.kit.undecorated(target.place), options: try SealedScene.options(2))
        try expectEqual(Canary.found(in: try target.everything()), [])
        try expectEqual(try Cage.open(target, 2).differences(from: cage.store).count, 0)
      }
      try cage.expectNothing("dumped")
    },
    canary("destroyed", "A sealed store that is destroyed leaves no file.", clauses: ["ENC-3"], needs: [.destroy]) {
      scene in
      let cage = try Cage(scene)
      try cage.insert(0..<300)
      try cage.store.destroy()
      try cage.expectNothing("destroyed")
      try expectEqual(try scene.files().count, 0)
    },
    .sealedProcesses(
      "canary-killed", ["ENC-3"], "What a process leaves that was killed while it wrote has nothing in the clear.",
      within: .seconds(120)
    ) { scene in
      var random = scene.kit.random(60)
      for kill in 0..<scene.kit.kills {
        let child = try scene.kit.secondProcess(at: scene.place)
        child.tell("canaries 1")
        try child.answer(to: "canaries 1")
        usleep(UInt32.random(in: 0...60_000, using: &random))
        child.kill()
        let found = Canary.found(in: try scene.everything())
        try expect(found.isEmpty, "kill \(kill) of seed \(scene.kit.seed): in the clear: \(found)")
        try scene.expectUntouched(.wrongKey) { try Cage.open(scene, 2) }
        let store = try Cage.open(scene)
        try expectEqual(try store.check(), [], "kill \(kill) of seed \(scene.kit.seed)")
        try store.close()
      }
    },
  ]
}

/// A place that tells with which options it is opened.
private struct WatchedPlace: BackendProvider {
  let inner: any BackendProvider
  nonisolated(unsafe) let watch: (OpenOptions) -> Void

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    watch(options)
    return try inner.open(options)
  }
}

import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryEncryption

/// Sealed stores that several processes have open.
enum KeyedProcessCases {
  private static func shared(
    _ name: String, _ summary: String, clauses: [String] = ["ENC-10"], file: String = #fileID, line: Int = #line,
    _ body: @escaping @Sendable (SealedScene, SecondProcess) throws -> Void
  ) -> ConformanceCase {
    .sealedProcesses(
      "shared-\(name)", clauses, summary, needs: [.multipleProcesses], file: file, line: line
    ) { scene in
      try scene.fill(1)
      try body(scene, try scene.kit.secondProcess(at: scene.place))
    }
  }

  static let all: [ConformanceCase] =
    [
      shared("reads", "Two processes with one key see what the other commits.", clauses: ["ENC-1"]) { scene, child in
        let store = try scene.open(1)
        try child.expect("sealed-open 1", "open")
        try store.insert(Item(300, name: "here"))
        try child.expect("named here", "1")
        try child.ask("sealed-insert 301")
        try expectEqual(try store.get(Item.self, 301)?.id, 301)
        try child.ask("close")
      },
      shared("other-key", "A second process with another key is told so, while the store is open.", clauses: ["ENC-2"])
      {
        scene, child in
        let store = try scene.open(1)
        try store.insert(Item(300))
        try expectError(.wrongKey) { try child.ask("sealed-open 2") }
        try expectError(.keyRequired) { try child.ask("open item") }
        try expectEqual(try store.count(Item.all), SealedScene.items.count + 1)
      },
      shared("slot", "A store tells the slot of its key as another process has written it, from its next reading on.") {
        scene, child in
        let store = try scene.open(1)
        let before = try unwrap(store.keySlot())
        do {
          try child.expect("rekey 1 2 wrapping", "done")
        } catch let error as StorageError where error.code == .inUse || error.code == .busy {
          return
        }
        try expectEqual(try store.count(Item.all), SealedScene.items.count)
        let after = try unwrap(store.keySlot())
        try expect(after.generation > before.generation, "\(after) is not later than \(before)")
        try expect(after.wrapped != before.wrapped && after.salt != before.salt, "the key is wrapped as before")
      },
    ]
    + [("full", RekeyExtent.full), ("wrapping", .wrappingOnly)].flatMap { name, extent in
      [
        shared(
          "rekeyed-\(name)",
          "Another process that has the store open while its key is changed goes on, or gets wrongKey; or the change is refused."
        ) { scene, child in
          let store = try scene.open(1)
          try child.expect("sealed-open 1", "open")
          var isChanged = true
          do {
            try store.rekey(to: ConformanceKey.key(2), extent)
          } catch let error as StorageError where error.code == .inUse || error.code == .busy {
            isChanged = false
          }
          try store.upsert(Item(300, name: "after"))
          do {
            try child.expect("named after", "1")
          } catch let error as StorageError {
            try expect(isChanged && error.code == .wrongKey, "\(error)")
          }
          _ = try? child.ask("close")
          try store.delete(Item.self, 300)
          try store.close()
          child.kill()
          try scene.expectOnly(isChanged ? 2 : 1, isChanged ? 1 : 2)
        },
        shared(
          "rekeyed-there-\(name)",
          "A store that is open here while another process changes its key goes on, or gets wrongKey; or that is refused."
        ) { scene, child in
          let store = try scene.open(1)
          var isChanged = true
          do {
            try child.expect("rekey 1 2 \(name)", "done")
          } catch let error as StorageError where error.code == .inUse || error.code == .busy {
            isChanged = false
          }
          do {
            try expectEqual(try store.fetch(Item.all), SealedScene.items)
            try store.insert(Item(300))
            try store.delete(Item.self, 300)
          } catch let error as StorageError {
            try expect(isChanged && error.code == .wrongKey, "\(error)")
          }
          try store.close()
          try scene.expectOnly(isChanged ? 2 : 1, isChanged ? 1 : 2)
        },
      ]
    }
}

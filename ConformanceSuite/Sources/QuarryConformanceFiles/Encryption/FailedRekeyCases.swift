import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Changes of the key of which an operation on a file fails, or after which no file can be opened.
enum FailedRekeyCases {
  static let all: [ConformanceCase] = [
    .sealedProcesses(
      "rekey-failed-wrapping", ["ENC-5", "ENC-10", "DUR-8"],
      "After a change of the wrapping that failed, a store says which of the two keys it has.",
      isEnded: true, within: .seconds(120)
    ) { scene in
      try scene.fill(1)
      let files = try scene.everything()
      let folder = try CrashLab.realPath(scene.folder)
      /// Lets an operation of the change fail. Returns the process, whether it was done, and how many operations there were.
      func change(failingAt operation: Int) throws -> (child: SecondProcess, isDone: Bool, count: Int) {
        try scene.restore(files)
        let child = try scene.kit.observedProcess(at: scene.place)
        try child.expect("sealed-open 1", "open")
        try child.expect("lab-fail \(operation) \(EIO) once \(folder)", "ready")
        var isDone = true
        do {
          try child.ask("rekey-open 2 wrapping")
        } catch let error as StorageError {
          ProvokedErrors.note(error.code)
          isDone = false
        }
        let counts = try child.ask("lab-end").split(separator: " ").compactMap { Int($0) }
        return (child, isDone, counts.first ?? 0)
      }
      let (whole, isDone, count) = try change(failingAt: 1_000_000)
      try expect(isDone && count > 1, "\(count) operations on files were seen")
      whole.kill()
      try scene.expectOnly(2, 1, about: "nothing failed")
      var random = scene.kit.random(91)
      let chosen = Array(1...count).shuffled(using: &random).prefix(scene.kit.triesFew ? 12 : count)
      for operation in chosen.sorted() {
        let about = "operation \(operation) of \(count) failed"
        let (child, isDone, _) = try change(failingAt: operation)
        let said = try child.ask("key-slot")
        child.kill()
        try expectEqual(
          Data(try slot(scene).bytes).base64EncodedString(), said, "\(about): the slot that the file has")
        var isNew = true
        do {
          try scene.open(2).close()
        } catch let error as StorageError {
          try expectEqual(error.code, .wrongKey, "\(about), and it was \(isDone ? "done" : "refused"): \(error)")
          isNew = false
        }
        if isDone { try expect(isNew, "\(about): the key was changed, and is the old one") }
        try expectError(.wrongKey, about) { try scene.open(isNew ? 1 : 2) }
        let store = try scene.open(isNew ? 2 : 1)
        try expectEqual(try store.fetch(Item.all), SealedScene.items, about)
        try store.close()
      }
    },
    .sealedProcesses(
      "slot-without-descriptors", ["ENC-10"],
      "A store says which slot it has after a change of the key also while its process can open no file.",
      needs: [.snapshots]
    ) { scene in
      try scene.fill(1)
      let child = try scene.kit.secondProcess(at: scene.place, "sealed-open 1")
      try child.expect("rekey-open 2 wrapping", "done")
      let said = try child.ask("key-slot-without-files")
      try child.ask("close")
      try child.finish()
      try expectEqual(try slot(scene).bytes, Array(try unwrap(Data(base64Encoded: said), said)), "the slot")
      try scene.expectOnly(2, 1)
    },
  ]

  /// The slot that the store's file has.
  private static func slot(_ scene: SealedScene) throws -> EnvelopeSlot {
    let place = try unwrap(scene.kit.undecorated(scene.place) as? any EncryptingProvider, "a provider that encrypts")
    return try unwrap(try place.envelopeSlot(), "a slot")
  }
}

import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Changes of which one operation on a file fails, in stores that were changed before: the files do not grow.
enum FailedUpdateCases {
  /// Lets each operation of a command fail once, closes the store, and judges what is left.
  ///
  /// - Parameter judge: Is told whether the command was done.
  private static func failEach(
    _ kit: ConformanceContext, _ place: any BackendProvider, before: [String], open: String, _ command: String,
    _ judge: (_ isDone: Bool, _ about: String) throws -> Void
  ) throws {
    let folder = try CrashLab.realPath(try unwrap(kit.harness.folder(of: kit.undecorated(place)), "a folder"))
    let filler = try kit.secondProcess(at: place)
    for step in before { try filler.ask(step) }
    try filler.finish()
    let image = try FileImage.read(folder).image
    var (operation, count) = (1, 1)
    while operation <= count {
      try image.put(in: folder)
      let child = try kit.observedProcess(at: place)
      try child.ask(open)
      try child.expect("lab-fail \(operation) \(EIO) once \(folder)", "ready")
      var isDone = true
      do {
        try child.ask(command)
      } catch let error as StorageError {
        ProvokedErrors.note(error.code)
        isDone = false
      }
      let seen = try child.ask("operations")
      try child.ask("lab-end")
      _ = try? child.ask("close")
      child.kill()
      if isDone { count = max(count, Int(seen) ?? 0) } else { count = max(count, operation + 1) }
      try judge(isDone, "operation \(operation) failed, and the change was \(isDone ? "done" : "refused")")
      operation += 1
    }
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "DUR.failed-update", ["DUR-8"],
      "A store of which an operation of an update failed opens again and is sound, with the update only if it was done.",
      needs: [.check], requiresPersistence: true, requiresCrashLab: true,
      without: ConformanceVariant.allButFresh.subtracting([.encrypted]), within: .seconds(60)
    ) { kit in
      let place = try kit.makePlace()
      let renames = (0..<4).map { "rename-all n\($0)" }
      try failEach(
        kit, place, before: ["open item", "insert-many 1 40 200"] + renames + ["close"], open: "open item",
        "rename-all last"
      ) { isDone, about in
        var options = OpenOptions()
        options.checksStructure = true
        let store: Store
        do { store = try kit.open([Item.self], at: place, options: options) } catch {
          throw ConformanceFailure(message: "\(about): \(error)", file: #fileID, line: #line)
        }
        try expectEqual(try Set(store.fetch(Item.all).map(\.name)), [isDone ? "last" : "n3"], about)
        try expectEqual(try store.keys(Item.all), Array(1...40), about)
        try expectEqual(try store.check(), [], about)
        try store.close()
      }
    },
    .sealedProcesses(
      "rekey-failed-keeps-key", ["ENC-5", "ENC-11", "DUR-8"],
      "A change of the wrapping of which one operation failed leaves the old key if it threw, and nothing of it if not.",
      isEnded: true, within: .seconds(120)
    ) { scene in
      try scene.fill(1)
      try failEach(scene.kit, scene.place, before: [], open: "sealed-open 1", "rekey-open 2 wrapping") {
        isDone, about in
        do { try scene.open(isDone ? 2 : 1).close() } catch {
          throw ConformanceFailure(message: "\(about): \(error)", file: #fileID, line: #line)
        }
        try scene.expectOnly(isDone ? 2 : 1, isDone ? 1 : 2, about: about)
        if isDone {
          let left = try OldSlotCases.slots(scene)
          try expect(try left.allSatisfy { try OldSlotCases.opens($0, 2) }, "\(about): a slot of the old key is left")
        }
      }
    },
  ]
}

import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Processes that are killed while they change a store's key, seal it, or make it plain: at any moment, and before every
/// operation on a file.
enum KilledSealCases {
  /// What the process is about to do.
  private struct Work: Sendable {
    /// The beginning and the end of the names of its cases.
    let name: String
    var extent = ""
    let clause: String
    /// What a process does, and what it leaves.
    let summary: String
    let command: String
    /// The key of the store before; nil for a plain one.
    let key: UInt8?
    let seed: Int
    /// Looks at what is left; is told whether the process had said that it was done.
    let judge: @Sendable (SealedScene, _ isDone: Bool, _ about: String) throws -> Void
  }

  private static let works: [Work] =
    [
      Work(
        name: "encrypt", clause: "ENC-6", summary: "a process that seals a store leaves it plain or sealed, and whole",
        command: "encrypt 1", key: nil, seed: 61, judge: judgeEncrypted),
      Work(
        name: "decrypt", clause: "ENC-6",
        summary: "a process that makes a sealed store plain leaves it sealed or plain, and whole", command: "decrypt 1",
        key: 1, seed: 62, judge: judgeDecrypted),
    ]
    + [("full", 63), ("wrapping", 64)].map { extent, seed in
      Work(
        name: "rekey", extent: "-\(extent)", clause: "ENC-5",
        summary: "a process that changes the key (\(extent)) leaves a store that one of the two keys opens",
        command: "rekey 1 2 \(extent)", key: 1, seed: seed, judge: judgeRekeyed)
    }

  static let all: [ConformanceCase] =
    works.flatMap { work in
      [
        .sealedProcesses(
          "\(work.name)-killed\(work.extent)", [work.clause], "Killed at any moment, \(work.summary).",
          within: .seconds(180)
        ) { try killedAnywhere($0, work) },
        .sealedProcesses(
          "\(work.name)-killed-at-operations\(work.extent)", [work.clause],
          "Killed before any operation on a file, \(work.summary).", isEnded: true, within: .seconds(600)
        ) { try killedAtOperations($0, work) },
      ]
    } + [
      .sealedProcesses(
        "rekey-killed-beside-damaged-slot", ["ENC-5", "ENC-8"],
        "Killed while it changes the key of a store with a damaged slot, a process leaves one that one of the two keys opens.",
        isEnded: true, within: .seconds(600)
      ) { scene in
        try scene.fill(1)
        let (path, data) = try scene.main()
        let files = try scene.everything()
        let slots = OldSlotCases.placesOfSlots(data)
        for slot in scene.kit.triesFew ? slots.prefix(1) : slots[...] {
          var damaged = data
          damaged[slot + 70] ^= 0x10
          let damagedFiles = files.merging([path: damaged]) { $1 }
          try scene.restore(damagedFiles)
          let command = "rekey 1 2 wrapping"
          let count = try scene.kit.operations(of: command, at: scene.place, in: scene.folder) { $0 == "done" }
          // The slots are written near the end.
          for operation in (scene.kit.triesFew ? max(1, count - 9) : 1)...count {
            let about = "torn at operation \(operation) of \(count), with the slot at \(slot) damaged"
            try scene.restore(damagedFiles)
            let child = try scene.kit.secondProcess(
              at: scene.place, endingAt: operation, isTorn: true, in: scene.folder)
            try judgeRekeyed(scene, child.askUntilEnded(command, about) { $0 == "done" }, about)
          }
        }
      }
    ]

  // MARK: What is left

  @Sendable private static func judgeEncrypted(_ scene: SealedScene, _ isDone: Bool, _ about: String) throws {
    let plainText = try scene.plainText()
    do {
      try scene.open(1).close()
    } catch let error as StorageError where error.code == .notEncrypted {
      try expect(!isDone, "\(about): it was sealed, and is plain")
      try scene.expectItems(nil, about)
      // What was begun is in nobody's way.
      try scene.encrypt(1)
      try scene.expectSealed(about)
      return try scene.expectOnly(1, 2, about: about)
    }
    try expectEqual(plainText, nil, "\(about): beside a store that is sealed")
    try scene.expectSealed(about)
    try scene.expectOnly(1, 2, about: about)
  }

  @Sendable private static func judgeDecrypted(_ scene: SealedScene, _ isDone: Bool, _ about: String) throws {
    do {
      try scene.open(1).close()
    } catch let error as StorageError where error.code == .notEncrypted {
      return try scene.expectItems(nil, about)
    }
    try expect(!isDone, "\(about): it was made plain, and is sealed")
    // What was plain already went when the store was opened for writing.
    try scene.expectSealed(about)
    try scene.expectOnly(1, 2, about: about)
  }

  @Sendable private static func judgeRekeyed(_ scene: SealedScene, _ isDone: Bool, _ about: String) throws {
    try scene.expectSealed(about)
    var isNew = true
    do {
      try scene.open(2).close()
    } catch let error as StorageError where error.code == .wrongKey {
      isNew = false
    }
    if isDone { try expect(isNew, "\(about): the key was changed, and is the old one") }
    // A slot that the end of the process tore stays until the next commit (ENC-12).
    let store = try scene.open(isNew ? 2 : 1)
    try store.write { tx in
      try tx.insert(Item(9_999, name: "gone"))
      try tx.delete(Item.self, 9_999)
    }
    try store.close()
    if isNew { try scene.expectOnly(2, 1, about: about) } else { try scene.expectOnly(1, 2, about: about) }
    try scene.expectSealed(about)
  }

  // MARK: Killing

  /// Kills processes at moments between the beginning and the end of the work.
  private static func killedAnywhere(_ scene: SealedScene, _ work: Work) throws {
    var random = scene.kit.random(work.seed)
    try scene.fill(work.key)
    let files = try scene.everything()
    let first = try scene.kit.secondProcess(at: scene.place)
    let start = ContinuousClock.now
    try first.expect(work.command, "done")
    let window = UInt32(clamping: max(2_000, Int((ContinuousClock.now - start) / .microseconds(1))))
    first.kill()
    try work.judge(scene, true, "not killed")
    for kill in 0..<scene.kit.kills {
      try scene.restore(files)
      let child = try scene.kit.secondProcess(at: scene.place)
      child.tell(work.command)
      usleep(UInt32.random(in: 0...window, using: &random))
      child.kill()
      let isDone = try child.remainingLines().contains("done")
      try work.judge(scene, isDone, "kill \(kill) of seed \(scene.kit.seed)")
    }
  }

  /// Ends processes before operations of the work, each from the same beginning: every one, or a few in a quick run.
  private static func killedAtOperations(_ scene: SealedScene, _ work: Work) throws {
    var random = scene.kit.random(work.seed + 20)
    try scene.fill(work.key)
    let files = try scene.everything()
    let count = try scene.kit.operations(of: work.command, at: scene.place, in: scene.folder) { $0 == "done" }
    try expect(count > 1, "\(count) operations on files were seen")
    try work.judge(scene, true, "not killed")
    let step = scene.kit.triesFew ? max(1, count / scene.kit.kills) : 1
    for operation in stride(from: Int.random(in: 1...step, using: &random), through: count, by: step) {
      let isTorn = Bool.random(using: &random)
      let about = "before operation \(operation) of \(count)\(isTorn ? ", torn," : "") of seed \(scene.kit.seed)"
      try scene.restore(files)
      let child = try scene.kit.secondProcess(at: scene.place, endingAt: operation, isTorn: isTorn, in: scene.folder)
      try work.judge(scene, child.askUntilEnded(work.command, about) { $0 == "done" }, about)
    }
  }
}

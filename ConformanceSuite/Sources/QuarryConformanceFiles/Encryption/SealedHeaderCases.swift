import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Damage in the beginning of a sealed store's file, where engines keep slots and marks in pairs: one of a pair serves when the
/// other is damaged, and a writer mends the pair.
enum SealedHeaderCases {
  private static let sectorBytes = 512
  private static let beginning = 4_096
  /// Where a sector is changed: in what stands at its beginning, behind a slot, and in its middle.
  private static let offsets = [20, 140, 144, 266]

  private static let places = stride(from: 0, to: beginning, by: sectorBytes).flatMap { start in
    offsets.map { start + $0 }
  }

  private static func flipped(_ data: Data, _ place: Int) -> Data {
    var data = data
    data[data.startIndex + place] ^= 0x04
    return data
  }

  /// A byte that means nothing is a zero in all engines.
  private static func used(_ data: Data) -> [Int] {
    places.filter { $0 < data.count && data[data.startIndex + $0] != 0 }
  }

  static let all: [ConformanceCase] = [
    .sealedProcesses(
      "header-of-hot-store", ["ENC-4", "ENC-8", "ERR-3", "DUR-1"],
      "With a sector of its beginning damaged, a store that a killed process left has all its commits, or is corrupt."
    ) { scene in
      let left = try HotSealCases.Left(scene)
      // The name of a log begins with that of its store.
      let path = try unwrap(scene.kit.files(at: scene.place).min { $0.utf8.count < $1.utf8.count }, "a file")
      let data = try unwrap(left.files[path], "the store's file")
      let child = try scene.kit.secondProcess(at: scene.place)
      for place in used(data) {
        try left.put([path: flipped(data, place)])
        do {
          try child.ask("sealed-batches 1 existing")
          let last = try child.ask("sealed-verify")
          try expect(
            last == "\(left.commits)" || last == "defects", "byte \(place): batch \(last), and nothing says so")
        } catch let error as StorageError where [.corrupt, .wrongKey].contains(error.code) {
          ProvokedErrors.note(error.code)
        }
        _ = try? child.ask("close")
      }
    },
    .sealed(
      "header-told", ["ENC-8", "ENC-12", "CARE-2"],
      "If a store with a log can be read, a check reports damage at its beginning."
    ) { scene in
      try scene.fill(1)
      let files = try scene.files()
      let (path, data) = try scene.main()
      // Without a log, what stands there may be older than what the store has.
      let open = try scene.open(1)
      try open.insert(Item(500))
      try open.delete(Item.self, 500)
      let hasLog = try scene.everything().keys.contains { $0.hasSuffix("-wal") }
      try open.close()
      guard hasLog else { return }
      try scene.put(files)
      for place in used(data) {
        try flipped(data, place).write(to: URL(fileURLWithPath: path))
        do {
          let store = try scene.open(1) {
            $0.isReadOnly = true
            $0.createsIfMissing = false
          }
          defer { try? store.close() }
          try expectEqual(try store.fetch(Item.all), SealedScene.items, "byte \(place)")
          try expect(try !store.check().isEmpty, "byte \(place): check finds nothing")
        } catch let error as StorageError where [.corrupt, .wrongKey].contains(error.code) {
          ProvokedErrors.note(error.code)
        }
        try scene.put(files)
      }
    },
    .sealedProcesses(
      "header-beside-old-log", ["ENC-4", "ENC-8", "FILE-13"],
      "With a sector of its beginning damaged, a store does not take a log from before for its own."
    ) { scene in
      let left = try HotSealCases.Left(scene, commits: 4)
      // Three more times at work, with two more logs, and none when it is closed.
      for number in [5, 6, 7] {
        let store = try scene.open(1, BatchWorkload.models)
        try BatchWorkload.commit(number, store)
        try store.close()
      }
      let closed = try scene.everything()
      let main = try unwrap(scene.kit.files(at: scene.place).min { $0.utf8.count < $1.utf8.count }, "a file")
      let data = try unwrap(closed[main], "the store's file")
      // What a killed process left and a closed store does not have: logs.
      let logs = left.files.filter { closed[$0.key] == nil && $0.key.hasSuffix("wal") }
      guard !logs.isEmpty else { return }
      let child = try scene.kit.secondProcess(at: scene.place)
      for place in used(data) {
        try scene.restore(closed.merging(logs) { $1 }.merging([main: flipped(data, place)]) { $1 })
        do {
          try child.ask("sealed-batches 1 existing")
          let last = try child.ask("sealed-last")
          try expect(last == "7", "byte \(place): batch \(last), and no error")
        } catch let error as StorageError where [.corrupt, .wrongKey].contains(error.code) {
          ProvokedErrors.note(error.code)
        }
        _ = try? child.ask("close")
      }
    },
    .sealed(
      "header-mended", ["ENC-4", "ENC-8"],
      "What one of a pair lost is mended by a writer: then the other one may be damaged.", within: .seconds(60)
    ) { scene in
      try scene.fill(1)
      let files = try scene.files()
      let (path, data) = try scene.main()
      func put(_ data: Data) throws { try data.write(to: URL(fileURLWithPath: path)) }
      /// Whether the store can be read, and then has what it had.
      func isReadable(_ about: String) throws -> Bool {
        do {
          let store = try scene.open(1) {
            $0.isReadOnly = true
            $0.createsIfMissing = false
          }
          defer { try? store.close() }
          try expectEqual(try store.fetch(Item.all), SealedScene.items, about)
          return true
        } catch let error as StorageError where [.corrupt, .wrongKey].contains(error.code) {
          return false
        }
      }
      var spare: [Int] = []
      for place in used(data) {
        try put(flipped(data, place))
        if try isReadable("byte \(place) was changed") { spare.append(place) }
        try scene.put(files)
      }
      for first in spare {
        for second in spare where second / sectorBytes != first / sectorBytes {
          try put(flipped(data, first))
          let writer = try scene.open(1)
          try writer.insert(Item(9_999))
          try writer.delete(Item.self, 9_999)
          try writer.close()
          let mended = try Data(contentsOf: URL(fileURLWithPath: path))
          let about = "byte \(first) was mended, and then byte \(second) was changed"
          if second == spare.first(where: { $0 / sectorBytes != first / sectorBytes }) {
            try scene.expectItems(1, "byte \(first) was mended")
          }
          try put(flipped(mended, second))
          try expect(try isReadable(about), about)
          try scene.put(files)
        }
      }
    },
  ]
}

import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Sealed stores that were closed, of which somebody cuts the last commits off and changes what could tell of it.
enum CutSealCases {
  static let all: [ConformanceCase] = [
    .sealed(
      "cut-and-changed", ["ENC-4", "DUR-4"],
      "A closed store whose last commits were cut off is corrupt, whatever else in its beginning was changed.",
      needs: [.openReadOnly]
    ) { scene in
      let store = try scene.open(1)
      try store.insert(contentsOf: SealedScene.items)
      let border = try scene.main().data.count
      let more = (100..<140).map { Item($0, name: "name of \($0)") }
      try store.insert(contentsOf: more)
      try store.close()
      let files = try scene.files()
      let (path, whole) = try scene.main()
      // Where commits are appended to one file, they are missing then; other engines move a log into it when it is closed.
      let cut = whole.prefix(min(border, whole.count - 1))
      for place in stride(from: 64, to: min(4_096, cut.count), by: 128) {
        var changed = Data(cut)
        changed[place] ^= 1
        try changed.write(to: URL(fileURLWithPath: path))
        do {
          let store = try scene.open(1) {
            $0.isReadOnly = true
            $0.createsIfMissing = false
          }
          defer { try? store.close() }
          try expectEqual(try store.fetch(Item.all), SealedScene.items + more, "byte \(place) changed")
        } catch let error as StorageError {
          ProvokedErrors.note(error.code)
          try expect(DamageCases.identityCodes.contains(error.code), "byte \(place) changed: \(error)")
        }
      }
      try scene.put(files)
      try expectEqual(try scene.open(1).fetch(Item.all), SealedScene.items + more)
    }
  ]
}

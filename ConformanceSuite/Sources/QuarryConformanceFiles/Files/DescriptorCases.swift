import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Processes that have no standard streams.
enum DescriptorCases {
  static let all: [ConformanceCase] = [
    .files(
      "standard-numbers", ["FILE-1"],
      "In a process without standard streams no file of a store is open under their numbers, and what is printed there harms none.",
      needs: [.compact, .backup, .check], usesProcess: true, within: .seconds(60)
    ) { scene in
      let copy = try scene.makeFolder("copies") + "/copy"
      let child = try scene.kit.secondProcess(at: scene.place)
      try child.expect("without-streams \(copy)", "none")
      try child.finish()
      for place in [scene.place, try scene.place(at: copy)] {
        let store = try scene.open(place, creates: false)
        try expectEqual(try store.fetch(Item.all).map(\.id), Array(0..<20))
        try expectEqual(try store.check(), [])
        try store.close()
      }
    }
  ]
}

import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Very many stores in one process.
enum ManyStoresCases {
  static let all: [ConformanceCase] = [
    .processes(
      "LIM.many-stores", ["LIM-4"], "A process opens 200 stores with their default options, and has memory left.",
      within: .seconds(120)
    ) { kit in
      let child = try kit.secondProcess(at: try kit.makePlace())
      try child.expect("open-many 200", "200")
    }
  ]
}

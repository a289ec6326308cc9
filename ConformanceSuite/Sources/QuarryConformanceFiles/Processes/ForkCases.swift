import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Processes that are made from one that has a store open.
enum ForkCases {
  static let all: [ConformanceCase] = [
    .processes(
      "MP.fork", ["MP-2", "DUR-1"],
      "What a fork of a process writes to a store that one process has is refused, and its parent goes on."
    ) { kit in
      guard kit.manifest.sharing == .oneProcess else { return }
      let place = try kit.makePlace()
      let child = try kit.secondProcess(at: place, "open item", "insert 1")
      try child.expect("fork-insert 2", "inUse")
      try child.expect("ids", "1")
      try child.ask("insert 3")
      try child.expect("fork-insert 4", "inUse")
      try child.ask("close")
      let store = try kit.open([Item.self], at: place)
      try expectEqual(try store.keys(Item.all), [1, 3])
      try expectEqual(try store.check(), [])
    }.ofFiles()
  ]
}

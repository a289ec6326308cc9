import Foundation
import QuarryBackend
import QuarryCore

/// A store for one process that two want: the second is told `inUse`, and nothing else happens.
package enum ExclusiveUse {
  private static let items = [Item(1, rank: 1), Item(2, name: "kept")]

  /// The second process has the store: this one is refused until that has closed it.
  package static func expectRefusedHere(_ kit: ConformanceContext) throws {
    let place = try kit.makePlace()
    let first = try kit.open([Item.self], at: place)
    try first.insert(contentsOf: items)
    try first.close()
    let child = try kit.secondProcess(at: place, "open item")
    for _ in 0..<2 {
      let error = try expectError(.inUse, "a store that another process has open") {
        try kit.open([Item.self], at: place)
      }
      try expectHolder(error, child.id)
    }
    try child.expect("ids", "1 2")
    try child.ask("insert 3")
    try child.ask("close")
    try expectEqual(try kit.open([Item.self], at: place).keys(Item.all), [1, 2, 3])
  }

  /// This process has the store: the second is refused until it is closed here.
  package static func expectRefusedThere(_ kit: ConformanceContext) throws {
    let place = try kit.makePlace()
    let store = try kit.open([Item.self], at: place)
    try store.insert(contentsOf: items)
    let child = try kit.secondProcess(at: place)
    let error = try expectError(.inUse, "a store that this process has open") { try child.ask("open item") }
    try expectHolder(error, getpid())
    try expectError(.inUse) { try child.ask("open item+numbered") }
    try expectEqual(try store.fetch(Item.all), items)
    try expectEqual(try store.models().map(\.name), ["Item"])
    try store.insert(Item(3))
    try store.close()
    try child.ask("open item")
    try child.expect("ids", "1 2 3")
  }

  /// An engine that knows the holder names the right one.
  private static func expectHolder(_ error: StorageError, _ process: Int32) throws {
    if let named = error.processID { try expectEqual(named, process, "the process that inUse names") }
  }
}

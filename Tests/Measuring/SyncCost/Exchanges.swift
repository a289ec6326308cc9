import MeasuringSupport
import QuarryBackend
import QuarryCore
import QuarrySync

/// Changes a second from one store to another of the same process: entries of one update each, by the log; then all rows to a
/// store that is new.
func measureExchanges(in folder: String) throws {
  let count = 100_000
  let rows = CommandLine.arguments.contains("whole") ? 1_000_000 : 100_000
  print("engine  part  changes  seconds  a second  bytes of a change")
  for engine in measuredEngines {
    let (a, b) = (try Place(engine, in: folder), try Place(engine, in: folder))
    try a.fill(10_000)
    try Store.replicate(a.store, b.store)
    for number in 0..<count {
      try a.store.records.upsert(into: "Article", [Article.views(number % 10_000, number)], updating: ["views"])
    }
    let hello = try b.sync.hello()
    let bytes = try a.sync.part(for: hello, bytes: 64 << 20).bytes.count
    let time = try seconds { try Store.replicate(a.store, b.store) }
    try expectEqual(a, b)
    print("\(engine.name)  entries  \(count)  \(text(time))  \(text(Double(count) / time, 0))  \(bytes / count)")
    try a.store.close()
    try b.store.close()

    let (full, new) = (try Place(engine, in: folder), try Place(engine, in: folder))
    try full.fill(rows)
    // A third store knows all, so that the log may go.
    let third = try Place(engine, in: folder)
    try Store.replicate(full.store, third.store)
    try third.store.close()
    try full.sync.trim(keeping: 0)
    let whole = try seconds { try Store.replicate(full.store, new.store) }
    try expectEqual(full, new)
    print("\(engine.name)  rows  \(rows)  \(text(whole))  \(text(Double(rows) / whole, 0))  -")
    let verified = try seconds { _ = try full.sync.digest() }
    print("\(engine.name)  digest  \(rows)  \(text(verified))  \(text(Double(rows) / verified, 0))  -")
    try full.store.close()
    try new.store.close()
  }
}

func expectEqual(_ a: Place, _ b: Place) throws {
  let report = try Store.replicate(a.store, b.store)
  guard report.isEqual else { throw StorageError(.corrupt, "the stores differ: \(report)") }
}

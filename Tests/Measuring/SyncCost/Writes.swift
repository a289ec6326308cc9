import MeasuringSupport
import QuarryBackend
import QuarryCore
import QuarrySync

/// Writes of one and of a hundred objects, with and without sync, by turns, and the ratio of their processor times.
func measureWrites(in folder: String) throws {
  print("engine  objects  plain us  synced us  ratio")
  for engine in measuredEngines {
    for objects in [1, 100] {
      let places = [try Place(engine, in: folder, isSynced: false), try Place(engine, in: folder)]
      for place in places { try place.fill(10_000) }
      var times = [Double.infinity, .infinity]
      var value = 0
      for _ in 0..<15 {
        for (number, place) in places.enumerated() {
          let writes = objects == 1 ? 200 : 10
          let time = try processorTime {
            for _ in 0..<writes {
              value += 1
              let first = value * 7_919 % 9_900
              try place.store.records.upsert(
                into: "Article", (first..<first + objects).map { Article.views($0, value) }, updating: ["views"])
            }
          }
          times[number] = min(times[number], time / .microseconds(1) / Double(writes))
        }
      }
      print(
        ([engine.name, "\(objects)"] + [text(times[0], 1), text(times[1], 1), text(times[1] / times[0])])
          .joined(separator: "  "))
      for place in places { try place.store.close() }
    }
  }
}

/// Bytes that sync keeps for each object, and of each entry.
func measureBytes(in folder: String) throws {
  let count = 100_000
  print("engine  objects  bytes of a record  bytes of an entry")
  for engine in measuredEngines {
    let place = try Place(engine, in: folder)
    try place.fill(count)
    for first in stride(from: 0, to: count / 3, by: 1_000) {
      try place.store.records.upsert(
        into: "Article", (first..<first + 1_000).map { Article.views($0, 1) }, updating: ["views"])
    }
    let sizes = try place.sync.sizes()
    for number in 0..<1_000 {
      try place.store.records.upsert(into: "Article", [Article.views(number, 2)], updating: ["views"])
    }
    let entries = try place.sync.sizes().entries - sizes.entries
    print("\(engine.name)  \(count)  \(sizes.records / count)  \(entries / 1_000)")
    try place.store.close()
  }
}

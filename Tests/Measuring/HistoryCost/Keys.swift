import Foundation
import MeasuringSupport
import QuarryBackend
import QuarryCore
import QuarryEngines

/// As ``Entry``, with a key of two members.
struct Pair: Model {
  var first: Int
  var second: Int
  var title: String

  static let modelDefinition = ModelDefinition<Pair>(
    name: "Pair",
    properties: [
      PropertyDefinition("first", \Pair.first, Int.self), PropertyDefinition("second", \Pair.second, Int.self),
      PropertyDefinition("title", \Pair.title, String.self),
      PropertyDefinition("_key", \Pair.primaryKeyValue, Key.self),
    ], primaryKey: "_key", keyMembers: ["first", "second"])

  struct Columns: ModelColumns {
    let first = Column<Int>("first", 0)
    let second = Column<Int>("second", 1)
    var title = Column<String>("title", 2)
  }

  struct Key: CompoundKey {
    var first: Int
    var second: Int

    static var memberTypes: [any Storable.Type] { [Int.self, Int.self] }

    init(_ first: Int, _ second: Int) { (self.first, self.second) = (first, second) }

    init(reading key: inout KeyMemberReader) throws(StorageError) { (first, second) = (try key.next(), try key.next()) }

    func write(to key: KeyMemberWriter) throws(StorageError) {
      try key.append(first)
      try key.append(second)
    }
  }

  var primaryKeyValue: Key { Key(first, second) }

  init(_ id: Int) { (first, second, title) = (id / 100, id % 100, "the title of entry \(id)") }

  init(reading row: ModelReader) throws(StorageError) {
    (first, second, title) = (try row.get(0), try row.get(1), try row.get(2))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, first)
    try row.set(1, second)
    try row.set(2, title)
    try row.set(3, primaryKeyValue)
  }
}

/// Generates keys, and reads objects by compound keys and by keys of one property.
func measureKeys(in folder: String) throws {
  let generated = 5_000_000
  var last = UUID.generated()
  let time = best(of: 3) { _ in for _ in 0..<generated { last = .generated() } }
  print("UUID.generated() \(String(format: "%.1f", Double(generated) / time)) million a second; the last is \(last)")
  let (count, reads) = (100_000, 20_000)
  print("engine  objects  single us  compound us  ratio")
  for engine in measuredEngines {
    var options = OpenOptions()
    if engine.path == .path { options.durability = .processCrash }
    let place = try engine.provider(at: engine.path(in: folder, UUID().uuidString))
    let store = try Store(models: [Entry.self, Pair.self], in: place, options: options)
    try store.insert(contentsOf: (0..<count).map { Entry($0, $0) })
    try store.insert(contentsOf: (0..<count).map { Pair($0) })
    func key(_ number: Int) -> Int { number * 7_919 % count }
    var times = [Double.infinity, .infinity]
    // By turns, because other programs run, too.
    for _ in 0..<15 {
      times[0] = min(
        times[0],
        try best(of: 1) { _ in
          try store.read { tx in for number in 0..<reads { _ = try tx.get(Entry.self, key(number)) } }
        })
      times[1] = min(
        times[1],
        try best(of: 1) { _ in
          try store.read { tx in
            for number in 0..<reads { _ = try tx.get(Pair.self, .init(key(number) / 100, key(number) % 100)) }
          }
        })
    }
    let figures =
      times.map { String(format: "%.3f", $0 / Double(reads)) } + [String(format: "%.2f", times[0] / times[1])]
    print(([engine.name, "\(count)"] + figures).joined(separator: "  "))
    try store.close()
  }
}

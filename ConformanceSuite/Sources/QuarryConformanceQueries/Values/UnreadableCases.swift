import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Stored values that the program's types refuse: each form of reading names them, and can go on without them.
enum UnreadableCases {
  private static let secret = "s3cr3t-value"

  private struct Told: Equatable {
    var key: Int?
    var property: String?
    var place: String?

    init(_ key: Int?, _ property: String?, _ place: String? = nil) {
      self.key = key
      self.property = property
      self.place = place
    }
  }

  /// What cannot be read, by key; odd keys are sound.
  private static let broken: [Told] = [
    Told(2, "colour"), Told(4, "spot", "inner.names"), Told(6, "spot", "others[1].map.a"), Told(8, "colours", "[2]"),
    Told(10, "spots", "[1].city"), Told(12, "maybe"),
  ]
  private static let sound = [1, 3, 5, 7, 9, 11, 13]

  private static func place(
    _ city: Value = .string("Oslo"), inner: Value = .null, others: [Value] = []
  ) -> Value {
    .object(unordered: [.init("city", city), .init("inner", inner), .init("others", .array(others))])
  }

  private static func inner(names: Value = .array([]), map: Value = .object([])) -> Value {
    .object(
      unordered: [
        .init("names", names), .init("depth", .int(0)), .init("ratio", .double(0)), .init("bytes", .data(Data())),
        .init("price", .decimal(0)), .init("map", map),
      ])
  }

  static func row(_ key: Int) -> Record {
    let wrong = Value.string(secret)
    let red = Value.string("red")
    var (colour, spot, colours, spots, maybe) = (red, place(), [red], [place()], Value.null)
    switch key {
    case 2: colour = wrong
    case 4: spot = place(inner: inner(names: wrong))
    case 6: spot = place(others: [inner(), inner(map: .object([.init("a", wrong)]))])
    case 8: colours = [red, red, wrong]
    case 10: spots = [place(), place(.int(1_000_007))]
    case 12: maybe = wrong
    default: break
    }
    return Record([
      "id": .int(Int64(key)), "colour": colour, "spot": spot, "colours": .array(colours), "spots": .array(spots),
      "maybe": maybe,
    ])
  }

  private static func store(_ kit: ConformanceContext) throws -> Store {
    let store = try kit.store(Spotted.self)
    try store.write { try $0.records.insert(into: "Spotted", (1...13).map(row)) }
    return store
  }

  /// Throws unless the error says which object, property and part of it cannot be read, and no stored value.
  private static func expectTold(_ error: StorageError, _ told: Told, _ form: String) throws {
    try expectEqual(error.model, "Spotted", "the model by \(form)")
    try expectEqual(Told(error.key.flatMap { Int($0) }, error.property, error.place), told, form)
    try expect(!"\(error)".contains(secret) && !"\(error)".contains("1000007"), "it tells the value: \(error)")
  }

  /// Every form in which the object with a key is read alone.
  private static let forms: [(name: String, read: @Sendable (Store, Int) throws -> Void)] = [
    ("get", { store, key in _ = try store.get(Spotted.self, key) }),
    ("get in a transaction", { store, key in _ = try store.read { try $0.get(Spotted.self, key) } }),
    ("get of keys", { store, key in _ = try store.get(Spotted.self, keys: [1, key, 3]) }),
    ("fetch", { store, key in _ = try store.fetch(Spotted.where { $0.id >= key }) }),
    ("fetch of a type", { store, key in _ = try store.fetch(Spotted.where { $0.id == key }) }),
    ("first", { store, key in _ = try store.first(Spotted.where { $0.id >= key }) }),
    ("forEach", { store, key in try store.read { try $0.forEach(Spotted.where { $0.id >= key }) { _ in } } }),
    ("page", { store, key in _ = try store.page(Spotted.where { $0.id >= key }, size: 3) }),
    ("sorted", { store, key in _ = try store.fetch(Spotted.where { $0.id <= key }.sorted(by: \.id, order: .reverse)) }),
    ("mapped get", { store, key in _ = try store.mapped(SpottedNumber.self).get(key) }),
    ("mapped fetch", { store, key in _ = try store.mapped(SpottedNumber.self).fetch(Spotted.where { $0.id >= key }) }),
    ("grouped", { store, key in _ = try store.read { try $0.grouped(Spotted.where { $0.id == key }, by: \.id) } }),
    ("thawed", { store, key in _ = try store.frozen(Spotted.self, key)?.thawed() }),
    (
      "thawed of a query",
      { store, key in _ = try store.frozen(Spotted.where { $0.id == key }).map { try $0.thawed() } }
    ),
    ("frozen store", { store, key in _ = try store.freeze().get(Spotted.self, key) }),
    ("update", { store, key in _ = try store.update(Spotted.self, key) { $0.id = key } }),
    ("update of a query", { store, key in _ = try store.update(Spotted.where { $0.id >= key }) { $0.colours = [] } }),
    ("getOrInsert", { store, key in _ = try store.getOrInsert(Spotted(key)) }),
    ("getOrInsert by key", { store, key in _ = try store.getOrInsert(Spotted.self, key) { Spotted(key) } }),
  ]

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "VAL.unreadable", ["VAL-4", "VAL-5", "ERR-2"],
      "What cannot be read is told with model, property, place and key by each form of reading, and changes nothing."
    ) { kit in
      let store = try store(kit)
      let before = try store.read { try $0.records.fetch(QueryTree(model: "Spotted")) }
      for told in broken {
        let key = try unwrap(told.key)
        for (name, read) in forms {
          try expectTold(try expectError(.invalidValue, name) { try read(store, key) }, told, name)
        }
      }
      try expect(
        try store.read { try $0.records.fetch(QueryTree(model: "Spotted")) } == before, "something was changed")
      for key in sound {
        for (name, read) in forms where ["get", "mapped get", "thawed", "update"].contains(name) {
          try read(store, key)
        }
      }
    },
    ConformanceCase(
      "VAL.unreadable-columns", ["VAL-5"], "Chosen columns, frozen fields and groups tell of their own property alone."
    ) { kit in
      let store = try store(kit)
      try store.read { tx in
        try expectEqual(try tx.select(Spotted.all, \.id).count, 13)
        let error = try expectError(.invalidValue) { try tx.select(Spotted.all, \.id, \.colours) }
        try expectTold(error, Told(8, "colours", "[2]"), "select")
        let frozen = try tx.frozen(Spotted.all)
        try expectEqual(frozen.map(\.id), Array(1...13))
        for (place, object) in frozen.enumerated() {
          guard let told = broken.first(where: { $0.key == place + 1 }) else {
            _ = try object.thawed()
            continue
          }
          let error = try expectError(.invalidValue) {
            switch told.property {
            case "colour": _ = try object.colour
            case "spot": _ = try object.spot
            case "colours": _ = try object.colours
            case "maybe": _ = try object.maybe
            default: _ = try object.spots
            }
          }
          try expectTold(error, told, "a frozen field")
        }
        for error in [
          try expectError(.invalidValue) { try tx.distinct(Spotted.all, \.colour) },
          try expectError(.invalidValue) { try tx.count(Spotted.all, by: \.colour) },
          try expectError(.invalidValue) { try tx.max(Spotted.all, of: \.colour) },
        ] { try expectTold(error, Told(nil, "colour"), "groups") }
      }
    },
    ConformanceCase("VAL.unreadable-cursor", ["VAL-5"], "A cursor goes on after an object that cannot be read.") {
      kit in
      try store(kit).read { tx in
        let cursor = try tx.cursor(Spotted.all)
        var (read, failed): ([Int], [String?]) = ([], [])
        while true {
          do {
            guard let object = try cursor.next() else { break }
            read.append(object.id)
          } catch let error as StorageError where error.code == .invalidValue {
            failed.append(error.key)
          }
          try expect(read.count + failed.count <= 13, "the cursor does not go on")
        }
        try expectEqual(read, sound)
        try expectEqual(failed, broken.map { $0.key.map { "\($0)" } })
      }
    },
    ConformanceCase(
      "VAL.passed-over", ["VAL-6", "ERR-8"], "onUnreadable is told of each object that is passed over, in the order."
    ) { kit in
      let store = try store(kit)
      var told: [Told] = []
      func note(_ key: Int?, _ error: StorageError) throws {
        try expectTold(error, Told(key, error.property, error.place), "onUnreadable")
        told.append(Told(key, error.property, error.place))
      }
      func expectAll(_ form: String, _ read: () throws -> [Int]) throws {
        told = []
        try expectEqual(try read(), sound, form)
        try expectEqual(told, broken, form)
      }
      try expectAll("fetch") { try store.fetch(Spotted.all, onUnreadable: note).map(\.id) }
      try expectAll("fetch in a write") {
        try store.write { tx in try tx.fetch(Spotted.all, onUnreadable: note).map(\.id) }
      }
      try expectAll("fetch frozen") { try store.freeze().fetch(Spotted.all, onUnreadable: note).map(\.id) }
      try expectAll("forEach") {
        var read: [Int] = []
        try store.forEach(Spotted.all, onUnreadable: note) { read.append($0.id) }
        return read
      }
      try expectAll("mapped") { try store.mapped(SpottedNumber.self).fetch(Spotted.all, onUnreadable: note).map(\.id) }
      try expectAll("keys") {
        try store.get(Spotted.self, keys: 1...13, onUnreadable: note).compactMap { $0?.id }
      }
      try expectAll("pages") {
        var (read, sizes): ([Int], [Int]) = ([], [])
        var position: PagePosition?
        repeat {
          let page = try store.page(Spotted.all.after(position), size: 4, onUnreadable: note)
          read += page.elements.map(\.id)
          sizes.append(page.elements.count)
          position = page.next
        } while position != nil
        try expectEqual(sizes, [2, 2, 2, 1])
        return read
      }
      told = []
      try expectEqual(try store.first(Spotted.where { $0.id >= 4 }, onUnreadable: note)?.id, 5)
      try expectEqual(told, [broken[1]])
      told = []
      try expectEqual(
        try store.fetch(Spotted.all.sorted(by: \.id, order: .reverse).limit(3), onUnreadable: note).map(\.id), [13, 11])
      try expectEqual(told, [broken[5]])
      try expectEqual(try store.fetch(Spotted.where { $0.id == 2 }.limit(1), onUnreadable: { _, _ in }).count, 0)
    },
    ConformanceCase(
      "VAL.passed-over-stream", ["VAL-6"], "A stream passes over what cannot be read, whole batches of it too.",
      without: [.insideTransaction]
    ) { kit in
      let store = try store(kit)
      for batch in [1, 2, 5, 100] {
        let told = Noted()
        var read: [Int] = []
        let stream = store.stream(Spotted.all, batchSize: batch) { key, _ in told.add(key) }
        for try await object in stream { read.append(object.id) }
        try expectEqual(read, sound, "batches of \(batch)")
        try expectEqual(told.all, broken.map(\.key), "batches of \(batch)")
      }
      let told = Noted()
      var read: [Int] = []
      for try await object in store.stream(
        Spotted.all.limit(4).offset(4), batchSize: 2, onUnreadable: { key, _ in told.add(key) })
      { read.append(object.id) }
      try expectEqual(read, [5, 7])
      try expectEqual(told.all, [6, 8])
      let asked = Noted()
      let fetched = try await store.fetch(Spotted.all, onUnreadable: { key, _ in asked.add(key) })
      try expectEqual(fetched.map(\.id), sound)
      try expectEqual(asked.all, broken.map(\.key))
      do {
        for try await _ in store.stream(Spotted.all) {}
        throw ConformanceFailure(message: "the stream said nothing", file: #fileID, line: #line)
      } catch let error as StorageError {
        try expectTold(error, broken[0], "a stream")
      }
    },
    ConformanceCase(
      "VAL.passed-over-stopped", ["VAL-6", "STMT-8"],
      "The closure ends the call by what it throws, reads in the transaction, and does not write to the model."
    ) { kit in
      struct Enough: Error {}
      let store = try store(kit)
      var told: [Int?] = []
      do {
        _ = try store.fetch(Spotted.all) { key, _ in
          told.append(key)
          if told.count == 2 { throw Enough() }
        }
        throw ConformanceFailure(message: "the closure's error was lost", file: #fileID, line: #line)
      } catch is Enough {}
      try expectEqual(told, [2, 4])
      try store.write { tx in
        told = []
        let read = try tx.fetch(Spotted.all) { key, _ in
          told.append(key)
          try expectEqual(
            try tx.records.get(in: "Spotted", key: .int(Int64(key ?? 0)))?["id"], key.map { .int(Int64($0)) })
          try expectEqual(try tx.count(Spotted.all), 13)
          try expectError(.iterationActive) { try tx.delete(Spotted.self, 1) }
        }
        try expectEqual(read.map(\.id), sound)
        try expectEqual(told, broken.map(\.key))
        // Under no cursor any more, what cannot be read is deleted and mended.
        try expectEqual(try tx.delete(Spotted.self, keys: told.compactMap { $0 }.dropLast()), 5)
        try tx.assign(Spotted.self, 12) { $0.maybe = .green }
        try expectEqual(try tx.fetch(Spotted.all).map(\.id), (sound + [12]).sorted())
      }
    },
    ConformanceCase(
      "VAL.passed-over-keys", ["VAL-6", "VAL-5"], "A primary key that cannot be read is told as text, and is nil."
    ) { kit in
      let store = try kit.store(Tinted.self)
      let rows = ["blue", "green", "red"].map { Record(["colour": .string($0), "number": .int(1)]) }
      try store.write { try $0.records.insert(into: "Tinted", rows) }
      let error = try expectError(.invalidValue) { try store.keys(Tinted.all) }
      try expectEqual([error.model, error.property, error.key], ["Tinted", "colour", "blue"])
      var texts: [String?] = []
      try expectEqual(try store.keys(Tinted.all) { texts.append($0.key) }, [.green, .red])
      let read = try store.fetch(Tinted.all) { key, error in
        try expectEqual(key, nil)
        texts.append(error.key)
      }
      try expectEqual(read.map(\.colour), [.green, .red])
      try expectEqual(texts, ["blue", "blue"])
    },
    ConformanceCase(
      "VAL.passed-over-others", ["ERR-8", "VAL-5"],
      "What is no error of a value ends the call; one of an init(reading:) by hand gets model and key."
    ) { kit in
      let store = try kit.store(Picky.self)
      try store.insert(contentsOf: (0..<5).map(Picky.init))
      for code in [StorageError.Code.invalidValue, .missingValue, .limitExceeded] {
        try Picky.$refusal.withValue(code) {
          let error = try expectError(code) { try store.fetch(Picky.all) }
          try expectEqual([error.model, error.key], ["Picky", "2"])
          var told: [Int?] = []
          try expectEqual(try store.fetch(Picky.all) { key, _ in told.append(key) }.map(\.id), [0, 1, 3, 4])
          try expectEqual(told, [2])
        }
      }
      for code in [StorageError.Code.corrupt, .io, .schemaMismatch, .unsupported] {
        try Picky.$refusal.withValue(code) {
          let error = try expectError(code) {
            try store.fetch(
              Picky.all,
              onUnreadable: { _, _ in
                throw ConformanceFailure(message: "\(code) was handed over", file: #fileID, line: #line)
              })
          }
          try expectEqual([error.model, error.key], ["Picky", "2"])
        }
      }
    },
  ]

  /// Keys noted from any thread.
  private final class Noted: @unchecked Sendable {
    // Unchecked: the lock guards what is noted.
    private let lock = NSLock()
    private var keys: [Int?] = []
    func add(_ key: Int?) { lock.withLock { keys.append(key) } }
    var all: [Int?] { lock.withLock { keys } }
  }
}

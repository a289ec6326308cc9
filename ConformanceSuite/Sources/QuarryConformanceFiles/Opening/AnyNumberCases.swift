import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Timeouts and options of engines that are no sensible numbers: each is clamped or refused, and none ends the process.
enum AnyNumberCases {
  /// Seconds that are no wait.
  private static let atOnce: [Double] = [
    0, -0.0, -1, -1e300, -.infinity, .nan, .signalingNaN, -.nan, .leastNonzeroMagnitude,
  ]
  /// Seconds that are a wait without an end, or nearly.
  private static let withoutEnd: [Double] = [
    999_999_999, 1e9, 1e10, 9.3e18, 1.8e19, 1e38, 1e300, .greatestFiniteMagnitude, .infinity,
  ]

  private static func optionsWaiting(_ seconds: Double) -> OpenOptions {
    var options = OpenOptions()
    options.busyTimeout = seconds
    return options
  }

  /// Opens a store, writes to it, closes it, opens it again and destroys it.
  private static func use(_ kit: ConformanceContext, _ seconds: Double) throws {
    let place = try kit.makePlace()
    let options = optionsWaiting(seconds)
    let store = try kit.open([Item.self], at: place, options: options)
    try store.insert(Item(1))
    try store.write(timeout: seconds) { try $0.insert(Item(2)) }
    try store.write(retry: 2, timeout: seconds) { try $0.insert(Item(3)) }
    try expectEqual(try store.count(Item.all), 3, "\(seconds) s")
    if kit.manifest.capabilities[.compact]?.isSupported == true { try store.compact() }
    try store.close()
    guard kit.harness.isPersistent else { return }
    let again = try kit.open([Item.self], at: place, options: options)
    try expectEqual(try again.count(Item.all), 3, "\(seconds) s")
    if kit.manifest.capabilities[.destroy]?.isSupported == true { try again.destroy() } else { try again.close() }
  }

  /// Writes on another thread and in a task while another writer has the store: both are busy.
  private static func expectBusy(_ store: Store, _ seconds: Double) async throws {
    let holder = try ScriptedTransaction.write(store)
    defer { holder.abort() }
    let begun = ContinuousClock.now
    try onAnotherThread {
      try expectError(.busy, "\(seconds) s") { try store.write(timeout: seconds) { try $0.insert(Item(1)) } }
    }
    let task = Task.ofCase { try await store.write(timeout: seconds) { tx in try tx.insert(Item(1)) } }
    let outcome = await task.result
    try expectError(.busy, "\(seconds) s, in a task") { try outcome.get() }
    // Much shorter than any wait by mistake would be, and long enough for a slow machine.
    try expect(ContinuousClock.now - begun < .seconds(30), "a timeout of \(seconds) s waited")
  }

  private static func expectCount(_ store: Store, _ count: Int, _ seconds: Double) throws {
    try expectEqual(try store.count(Item.all), count, "\(seconds) s")
  }

  /// Writes through one opening while the other one has a writer.
  private static func writeBeside(_ kit: ConformanceContext, _ seconds: Double, isBusy: Bool) throws {
    let place = try kit.makePlace()
    let first = try kit.open([Item.self], at: place)
    try first.insert(Item(0))
    let other = try kit.open([Item.self], at: place, options: optionsWaiting(seconds))
    let holder = try ScriptedTransaction.write(first)
    if isBusy {
      defer { holder.abort() }
      let thread = ThreadWrite(other, timeout: seconds) { tx in try tx.upsert(Item(1)) }
      try expectError(.busy, "\(seconds) s") { try thread.outcome(within: 30, "a timeout of \(seconds) s waits") }
    } else {
      let thread = ThreadWrite(other, timeout: seconds) { tx in try tx.upsert(Item(1)) }
      Thread.sleep(forTimeInterval: 0.03)
      try holder.commit()
      try thread.outcome()
    }
    try expectEqual(try first.count(Item.all), isBusy ? 1 : 2, "\(seconds) s")
    try other.close()
    try first.close()
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "OPEN.any-timeout", ["OPEN-20"],
      "A store opens, is written to, closed and destroyed with a timeout of any value.", within: .seconds(60)
    ) { kit in
      for seconds in atOnce + withoutEnd { try use(kit, seconds) }
    },
    ConformanceCase(
      "OPEN.timeout-at-once", ["OPEN-20"], "A timeout that is negative or no number is busy at once, and no wait.",
      without: ConformanceVariant.ofWriter, within: .seconds(60)
    ) { kit in
      let store = try kit.store(Item.self)
      for seconds in atOnce { try await expectBusy(store, seconds) }
      try expectCount(store, 0, 0)
    }.only(.one),
    ConformanceCase(
      "OPEN.timeout-without-end", ["OPEN-20"], "A timeout of any great value waits until the other writer has ended.",
      without: ConformanceVariant.ofWriter, within: .seconds(60)
    ) { kit in
      let store = try kit.store(Item.self)
      for (number, seconds) in withoutEnd.enumerated() {
        let holder = try ScriptedTransaction.write(store)
        let thread = ThreadWrite(store, timeout: seconds) { tx in try tx.insert(Item(2 * number)) }
        let task = Task.ofCase { try await store.write(timeout: seconds) { tx in try tx.insert(Item(2 * number + 1)) } }
        try await Task.sleep(for: .milliseconds(30))
        try holder.commit()
        try thread.outcome()
        _ = try await task.value
        try expectCount(store, 2 * number + 2, seconds)
      }
    },
    ConformanceCase(
      "OPEN.timeout-of-another-opening", ["OPEN-20", "OPEN-5"],
      "Between two openings of a store timeouts of any value are what they are in one.", requiresPersistence: true,
      level: .core, without: ConformanceVariant.ofWriter.union([.reopened]), within: .seconds(60)
    ) { kit in
      for seconds in atOnce { try writeBeside(kit, seconds, isBusy: true) }
      for seconds in withoutEnd { try writeBeside(kit, seconds, isBusy: false) }
    }.only(.one),
    ConformanceCase(
      "OPEN.seeded-offers", ["OPEN-23"],
      "A place with a seed offers what the place offers, and refuses what it refuses.",
      without: ConformanceVariant.allButFresh
    ) { kit in
      let place = kit.undecorated(try kit.makePlace())
      let seeded = SeededProvider(place, from: place, path: "seed")
      func outcome(_ provider: any BackendProvider, _ body: (any BackendProvider) throws -> Void) throws -> String {
        do {
          try body(provider)
          return "done"
        } catch let error as StorageError {
          return "\(error.code)"
        }
      }
      guard kit.harness.isPersistent else {
        return try expectEqual(
          try outcome(seeded) { try $0.requireScratch().withScratch { _ in } },
          try outcome(place) { try $0.requireScratch().withScratch { _ in } })
      }
      let store = try kit.open([Item.self], at: place)
      try store.insert(Item(1))
      try store.close()
      let calls: [(String, (any BackendProvider) throws -> Void)] = [
        ("rehearse", { _ = try Store.rehearse(for: Item.self, Plain.self, in: $0) }),
        ("scratch", { try $0.requireScratch().withScratch { _ in } }),
        ("encrypt", { try $0.requireEncrypting().reencrypt(from: nil, to: nil) }),
        ("slot", { _ = try $0.requireEncrypting().envelopeSlot() }),
        ("checksums", { try $0.requireChecksumming().addChecksums() }),
      ]
      for (name, call) in calls {
        try expectEqual(try outcome(seeded, call), try outcome(place, call), name)
      }
      try expectEqual(try kit.open([Item.self], at: seeded).get(Item.self, 1), Item(1))
    },
    ConformanceCase(
      "OPEN.any-option", ["OPEN-21"],
      "With options of its engine of any value a store works as always, or opening refuses them.",
      // What is done twice takes room twice.
      without: [.replayed], within: .seconds(120)
    ) { kit in
      let refusals: [StorageError.Code] = [.invalidValue, .limitExceeded, .unsupported, .full]
      for (name, place) in try kit.placesWithAnyOptions() {
        let store: Store
        do {
          store = try kit.open([Item.self], at: place)
        } catch let error as StorageError where refusals.contains(error.code) {
          try expect(!error.message.isEmpty, name)
          continue
        }
        // Enough commits for what an engine does from time to time. A store may have room for few of them.
        var last = -1
        do {
          for round in 0..<20 {
            try store.write {
              try $0.upsert(contentsOf: (0..<20).map { Item($0, name: "n\(round)", score: Double(round)) })
            }
            last = round
          }
        } catch let error as StorageError where error.code == .full {
          try expect(!error.message.isEmpty, name)
        }
        let count = last < 0 ? 0 : 20
        try expectEqual(try store.count(Item.where { $0.name == "n\(last)" }), count, name)
        try expectEqual(try store.fetch(Item.all.sorted(by: \.score)).map(\.id), Array(0..<count), name)
        try store.close()
        guard kit.harness.isPersistent else { continue }
        let again = try kit.open([Item.self], at: place)
        try expectEqual(try again.count(Item.all), count, name)
        try again.close()
      }
    },
  ]
}

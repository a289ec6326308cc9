import Foundation
import QuarryBackend
import QuarryCore

/// Commands of a process whose wall clock is set.
extension ChildInterpreter {
  static let clocks: [String: Command] = [
    // clock SECONDS: the wall clock of this process is so far ahead from now on.
    "clock": { _, words in
      try CrashLab.setClock(ahead: try number(words, 0))
      return "set"
    },
    // wait-for-writer SECONDS: a thread, and another opening of the store, wait so long for a writer that does not end.
    "wait-for-writer": { child, words in
      guard let seconds = words.first.flatMap(Double.init) else { throw StorageError(.invalidValue, "no time") }
      let stores = [
        try Store(models: [Item.self], in: child.place), try Store(models: [Item.self], in: child.place),
      ]
      let writer = try ScriptedTransaction.write(stores[0])
      try writer.write { tx in try tx.insert(Item(1)) }
      for (place, store) in stores.enumerated() {
        let start = ContinuousClock.now
        do {
          try store.write(timeout: seconds) { tx in try tx.insert(Item(2)) }
          return "opening \(place) did not wait"
        } catch let error as StorageError where error.code == .busy {}
        let waited = (ContinuousClock.now - start) / .seconds(1)
        if waited < seconds * 0.9 { return "opening \(place) waited \(waited) s" }
      }
      try writer.commit()
      for store in stores { try store.write(timeout: seconds) { tx in try tx.upsert(Item(2)) } }
      for store in stores { try store.close() }
      return "waited"
    },
    // observe-once: observes the store, and waits for a commit of another opening.
    "observe-once": { child, _ in
      let store = try Store(models: [Item.self], in: child.place)
      let told = MonotonicSemaphore()
      let token = try store.observe(Item.all) { _ in told.signal() }
      defer { token.cancel() }
      guard told.wait(atMost: .seconds(8)) else { return "no initial list" }
      try store.insert(Item(77))
      guard told.wait(atMost: .seconds(8)) else { return "no change" }
      try store.close()
      return "observed"
    },
    // use-all: opens, reads, writes, rehearses, backs up and puts the store aside.
    "use-all": { child, _ in
      let store = try Store(models: [Item.self], in: child.place)
      try store.upsert(Item(5))
      try store.close()
      var reading = OpenOptions()
      reading.isReadOnly = true
      let reader = try Store(models: [Item.self], in: child.place, options: reading)
      guard try reader.count(Item.all) > 0 else { return "no objects" }
      try reader.close()
      if child.place is any ScratchProvider {
        let report = try Store.rehearse(for: Item.self, in: child.place, migration: .to(2))
        if let error = report.error { throw error }
      }
      return "used"
    },
  ]
}

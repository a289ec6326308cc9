import Foundation
import QuarryCore
import QuarrySync
import QuarrySyncHTTP

/// A person who edits notes. A runner syncs the store meanwhile, so an edit never waits for the server.
struct Person {
  let store: Store
  let server: SyncRemote

  func edit(seconds: Double) async throws {
    let runner = try SyncRunner(store, with: server, longestPause: .seconds(1))
    let running = Task { try await runner.run() }
    // Both people make this tag, each with an id of its own, before they hear of each other.
    try await store.insert(Tag(name: "urgent"))
    var written = 0
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      try write(written)
      written += 1
      try await Task.sleep(for: .milliseconds(.random(in: 5...60)))
    }
    // The last changes arrive when the server is there.
    let patience = ContinuousClock.now + .seconds(60)
    while runner.status.pending > 0 || runner.status.problem != nil, ContinuousClock.now < patience {
      try await Task.sleep(for: .milliseconds(50))
    }
    running.cancel()
    try await running.value
    let notes = try await store.count(Note.all)
    print("\(written) changes, \(notes) notes here; \(runner.status.pending) changes wait")
    try store.close()
  }

  private func write(_ number: Int) throws {
    try store.write { tx in
      let note = try tx.fetch(Note.all.limit(50)).randomElement()
      switch Int.random(in: 0..<10) {
      case 0 where note != nil: try tx.delete(Note.self, note!.id)
      case 1..<6 where note != nil:
        var changed = note!
        if Bool.random() { changed.title = "title \(number)" } else { changed.text = "text \(number)" }
        try tx.update(changed)
      default: try tx.insert(Note(title: "note \(number)"))
      }
    }
  }
}

import Foundation
import QuarryBackend
import QuarryCore
import QuarryDump

/// Commands that migrate, copy and compact, and stop on the way where they are told to.
extension ChildInterpreter {
  static let migrations: [String: Command] = [
    // stop-at STEP: what is opened from now on stops before that step, says so, and goes on with the next line.
    "stop-at": { child, words in
      child.stop = StepStop(before: try number(words, 0))
      return "ready"
    },
    // migrate WAY: opens the store by it. Says how much was done.
    "migrate": { child, words in
      guard let way = words.first.flatMap({ MigrationWorkload(rawValue: $0) }) else {
        throw StorageError(.invalidValue, "there is no migration \(words.joined(separator: " "))")
      }
      let store = try way.migrate(child.provider)
      child.take(store)
      return "open \(store.openingReport.schemaChanges.count)"
    },
    "books": { child, _ in try child.read { "\(try $0.count(Library.First.Book.all))" } },
    "insert-book": { child, words in
      let id = try number(words, 0)
      try child.write { try $0.insert(MigrationWorkload.book(id)) }
      return "inserted"
    },
    // rehearse-hold: rehearses a migration, and says so in the middle of it, where it goes on with the next line.
    "rehearse-hold": { child, _ in
      let migration = Migration.to(9) { _ in
        say("rehearsing")
        _ = readLine()
      }
      let report = try Store.rehearse(program: [], in: child.place, migration: migration)
      if let error = report.error { throw error }
      return "rehearsed"
    },
    // backup PATH
    "backup": { child, words in
      try child.store().backup(to: words.joined(separator: " "))
      return "done"
    },
    // copy-from ADDRESS: copies that store to the process's own place.
    "copy-from": { child, words in
      let source = try child.process.place(words.joined(separator: " "))
      func copy(_ source: some BackendProvider, _ target: some BackendProvider) throws -> CopyReport {
        try Store.copy(from: source, to: target)
      }
      return "copied \(try copy(source, child.provider).rows)"
    },
    // restore-from PATH: restores that dump to the process's own place.
    "restore-from": { child, words in
      func restore(_ target: some BackendProvider) throws -> DumpReport {
        try Store.restore(words.joined(separator: " "), to: target)
      }
      return "restored \(try restore(child.provider).models.reduce(0) { $0 + $1.rows })"
    },
    "compact": { child, _ in
      try child.store().compact()
      return "done"
    },
  ]
}

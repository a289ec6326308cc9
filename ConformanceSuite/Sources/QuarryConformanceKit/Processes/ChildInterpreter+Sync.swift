import Foundation
import QuarryBackend
import QuarryCore
import QuarrySync

/// Commands of a process that takes the changes of another store.
extension ChildInterpreter {
  static let sync: [String: Command] = [
    // sync-take MILLISECONDS FILE: opens the store, takes an answer as a peer has sent it, at that time, and closes the store.
    "sync-take": { child, words in
      let (now, path) = (UInt64(try number(words, 0)), words.dropFirst().joined(separator: " "))
      let store = try Store(opening: child.place)
      let sync = try store.enableSync([], naturalKeys: [], SyncEnvironment(now: { now }))
      var messages = try StoreSync.messages(of: Array(Data(contentsOf: URL(fileURLWithPath: path))), isAnswer: true)
      guard case .yours(var introduction)? = messages.first?.message else {
        throw StorageError(.invalidValue, "the answer has no introduction")
      }
      // The question was another opening's.
      introduction.session = try sync.hello().session
      messages[0].message = .yours(introduction)
      let intake = try sync.take(messages)
      try store.close()
      return "taken \(intake.taken) \(intake.refused)"
    }
  ]
}

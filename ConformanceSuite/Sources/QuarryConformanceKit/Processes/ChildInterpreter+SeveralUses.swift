import Foundation
import QuarryBackend
import QuarryCore
import Synchronization

/// Commands of a process that uses its store in several ways at once.
extension ChildInterpreter {
  static let severalUses: [String: Command] = [
    // open-for DURABILITY: opens the store.
    "open-for": { child, words in
      child.take(try opened(child, words))
      return "open"
    },
    // open-also-for DURABILITY: opens the store once more beside the open one, and lets go of that opening.
    "open-also-for": { child, words in
      _ = try opened(child, words)
      return "open"
    },
    // compact-beside ID: compacts the store while a transaction waits to commit an object.
    "compact-beside": { child, words in
      let (store, id) = (try child.store(), try number(words, 0))
      let writer = try ScriptedTransaction.write(store)
      try writer.write { tx in try tx.insert(Item(id)) }
      let failure = Mutex<(any Error)?>(nil)
      let group = DispatchGroup()
      group.enter()
      Thread.detachNewThread {
        do { try store.compact() } catch { failure.withLock { $0 = error } }
        group.leave()
      }
      // Everything is copied meanwhile, but for what the transaction commits.
      usleep(60_000)
      try writer.commit()
      group.wait()
      if let error = failure.withLock({ $0 }) { throw error }
      return "compacted"
    },
    // key-slot-without-files: the slot of the open store's key, as bytes in Base64, while no file can be opened, and snapshots
    // have the connections that were open.
    "key-slot-without-files": { child, _ in
      let store = try child.store()
      _ = try refusals["limit-descriptors"]?(child, [])
      var frozen: [FrozenStore] = []
      while frozen.count < 12, let snapshot = try? store.freeze() { frozen.append(snapshot) }
      let said = Result { try store.keySlot() }
      _ = try refusals["unlimit-descriptors"]?(child, [])
      for snapshot in frozen { snapshot.close() }
      return try said.get().map { Data($0.bytes).base64EncodedString() } ?? "none"
    },
    // fork-insert ID: a fork of this process inserts an object; says what became of it.
    "fork-insert": { child, words in
      let (store, id) = (try child.store(), try number(words, 0))
      guard let program = dlopen(nil, RTLD_NOW), let symbol = dlsym(program, "fork") else {
        throw StorageError(.unsupported, "this process cannot be forked")
      }
      // Safe: the system has a function of this type by this name, which Swift does not show.
      let process = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)()
      if process == 0 {
        do {
          try store.insert(Item(id))
          _exit(1)
        } catch {
          _exit((error as? StorageError)?.code == .inUse ? 2 : 3)
        }
      }
      var status: Int32 = 0
      var waited = 0
      while waitpid(process, &status, WNOHANG) == 0, waited < 5_000 {
        usleep(1_000)
        waited += 1
      }
      guard waited < 5_000 else {
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
        return "hung"
      }
      return [1 << 8: "inserted", 2 << 8: "inUse", 3 << 8: "refused"][status] ?? "ended with \(status)"
    },
  ]

  private static func opened(_ child: ChildInterpreter, _ words: [String]) throws -> Store {
    guard let durability = words.first.flatMap({ BackendManifest.Durability(rawValue: $0) }) else {
      throw StorageError(.invalidValue, "no durability: \(words.joined(separator: " "))")
    }
    var options = OpenOptions()
    options.durability = durability
    return try Store(models: [Item.self], in: child.place, options: options)
  }
}

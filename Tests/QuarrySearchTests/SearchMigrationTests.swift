import Foundation
import QuarryBackend
import QuarryCore
import QuarryEncryption
import QuarryEngines
import QuarryTestSupport
import Testing

/// Stores whose texts become searchable, plain and encrypted, and in a process that is killed.
@Suite(.serialized) struct SearchMigrationTests {
  static let kinds = EngineDescription.all.filter { $0.path == .path }.flatMap { engine in
    [false, true].map { (engine, $0) }
  }
  private static let count = 3_000

  private func options() -> OpenOptions {
    var options = OpenOptions()
    options.durability = .processCrash
    return options
  }

  // SEARCH-28
  @Test(arguments: kinds)
  func aKilledMigrationLeavesTheOldStoreOrTheNewOne(_ engine: EngineDescription, _ isEncrypted: Bool) throws {
    let folder = try ScratchFolder(in: ScratchFolder.memory)
    let path = engine.path(in: folder.path)
    let encryption = isEncrypted ? Encryption(try EncryptionKey(0..<32)) : nil
    func open(_ model: any Model.Type) throws -> Store {
      try Store(models: [model], in: engine.provider(at: path), options: options(), encryption: encryption)
    }
    var store = try open(PlainNote.self)
    try store.insert(contentsOf: (1...Self.count).map { PlainNote($0, NoteWork.text($0)) })
    try store.close()
    let words = NoteWork.words.count
    for delay: UInt32 in [0, 20_000, 60_000, 150_000, 300_000] {
      let process = try WritingProcess([engine.name, path, isEncrypted ? "encrypted" : "plain", "migrate"])
      #expect(process.line() == "open")
      usleep(delay)
      process.kill()
      // A program that searches nothing reads what is there.
      var reading = options()
      reading.isReadOnly = true
      let other = try Store(
        models: [SearchableNote.self], in: engine.provider(at: path), options: reading, encryption: encryption)
      #expect(try other.count(SearchableNote.all) == Self.count)
      #expect(
        try other.count(SearchableNote.where { $0.text.search("cedar") }) == (1...Self.count).count { $0 % words == 2 })
      try other.close()
    }
    store = try open(SearchableNote.self)
    defer { try? store.close() }
    for (place, word) in NoteWork.words.enumerated() {
      let found = try store.fetch(SearchableNote.where { $0.search(.word(word)) }).map(\.id)
      #expect(found == (1...Self.count).filter { $0 % words == place })
    }
    #expect(try store.count(SearchableNote.where { $0.search("number77") }) == 1)
    #expect(try store.check() == [])
  }
}

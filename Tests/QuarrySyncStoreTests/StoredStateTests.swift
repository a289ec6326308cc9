import QuarryBackend
import Testing

@testable import QuarrySync

/// The bytes of a store's state: docs/formats/sync.md.
@Suite struct StoredStateTests {
  private var state: StoredState {
    var state = StoredState(ReplicaID(high: 1, low: 2))
    state.models = ["Item"]
    state.schemaVersion = 3
    return state
  }

  /// The state as the first two formats have it, without rules of joining and without progress.
  private func earlier(_ state: StoredState, _ format: UInt8) -> [UInt8] {
    var writer = SyncWriter()
    writer.list(state.names) { $0.replica($1) }
    writer.list(state.models) { $0.name(SyncName($1)) }
    writer.fixed(state.schemaVersion)
    writer.varint(state.clock)
    writer.knowledge(state.knowledge)
    writer.floors(state.trimmed)
    writer.floors(state.collected)
    writer.flag(false)
    writer.rules(MergeRules())
    writer.count(state.irregulars)
    writer.count(state.entries)
    if format == 2 {
      writer.byte(state.role.byte)
      writer.list(state.hubs) { $0.replica($1) }
      writer.varint(state.judgesAfter)
      state.merges.encode(to: &writer)
    }
    return [format] + writer.bytes
  }

  @Test func earlierFormatsAreReadAndConverted() throws {
    var state = state
    (state.clock, state.entries, state.role, state.hubs) = (77, 5, .client, [ReplicaID(high: 8, low: 9)])
    state.knowledge.vector[state.names[0]] = EntryMark(70, 3)
    state.merges["Item"] = ["views": StoredMerge(rule: .counter)]
    for format: UInt8 in [1, 2] {
      var read = try StoredState(decoding: earlier(state, format))
      #expect(!read.hasClocks && read.clock == 77 && read.entries == 5 && read.knowledge == state.knowledge)
      #expect(read.role == (format == 1 ? .peer : .client) && read.merges.isEmpty == (format == 1))
      read.convert()
      #expect(read.hasClocks && read.encoded().first == 4)
    }
  }

  @Test func theHeadHasWhatEachWriteChanges() throws {
    var state = state
    let bytes = state.encoded()
    state.head = StoredHead(clock: 9, mark: EntryMark(8, 7), entries: 6)
    #expect(state.encoded() == bytes)
    var read = try StoredState(decoding: bytes)
    read.head = try state.head.encoded().withBytes { bytes throws(StorageError) in try StoredHead(decoding: bytes) }
    #expect(read.clock == 9 && read.knowledge == state.knowledge && read.entries == 6)
    #expect(throws: StorageError.self) {
      try [UInt8](repeating: 255, count: 32).withBytes { bytes throws(StorageError) in try StoredHead(decoding: bytes) }
    }
  }

  @Test func rulesAreReadAsTheyWereWritten() throws {
    var state = state
    state.merges["Item"] = [
      "views": StoredMerge(rule: .counter), "tags": StoredMerge(rule: .set),
      "amount": StoredMerge(rule: .latest, group: "price"),
    ]
    state.numbers.set(["views", "tags"], of: "Item")
    _ = state.numbers.add(ReplicaID(high: 1, low: 2))
    state.nameless = NamelessRows(reach: [ReplicaID(high: 3, low: 4): 5], isWhole: true, due: 6)
    let bytes = state.encoded()
    #expect(bytes.first == 4)
    let read = try StoredState(decoding: bytes)
    #expect(
      read.merges == state.merges && read.numbers == state.numbers && read.models == ["Item"] && read.encoded() == bytes
        && read.nameless == state.nameless)
    #expect(read.merges.groups("Item") == [["amount"]])
    // Every cut and every later format is refused.
    for length in 0..<bytes.count {
      #expect(throws: StorageError.self) { try StoredState(decoding: Array(bytes.prefix(length))) }
    }
    #expect(failureCode { _ = try StoredState(decoding: [6] + bytes.dropFirst()) } == .schemaTooNew)
  }

  private func failureCode(_ body: () throws -> Void) -> StorageError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? StorageError)?.code
    }
  }
}

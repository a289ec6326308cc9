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

  @Test func aStateWithoutRulesHasTheFirstFormat() throws {
    #expect(state.encoded().first == 1)
    #expect(try StoredState(decoding: state.encoded()).merges.isEmpty)
  }

  @Test func rulesAreReadAsTheyWereWritten() throws {
    var state = state
    state.merges["Item"] = [
      "views": StoredMerge(rule: .counter), "tags": StoredMerge(rule: .set),
      "amount": StoredMerge(rule: .latest, group: "price"),
    ]
    let bytes = state.encoded()
    #expect(bytes.first == 2)
    let read = try StoredState(decoding: bytes)
    #expect(read.merges == state.merges && read.models == ["Item"] && read.encoded() == bytes)
    #expect(read.merges.groups("Item") == [["amount"]])
    // Every cut and every later format is refused.
    for length in 0..<bytes.count {
      #expect(throws: StorageError.self) { try StoredState(decoding: Array(bytes.prefix(length))) }
    }
    #expect(failureCode { _ = try StoredState(decoding: [3] + bytes.dropFirst()) } == .schemaTooNew)
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

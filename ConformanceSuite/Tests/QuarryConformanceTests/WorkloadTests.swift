import QuarryCore
import QuarryMemory
import Testing

@testable import QuarryConformance
@testable import QuarryConformanceKit

/// What the kit looks for after a crash it also sees.
@Suite struct WorkloadTests {
  /// A row that is missing, one that is too many and a change that is missing are seen.
  @Test(arguments: 0..<5) func damageIsSeen(_ kind: Int) throws {
    let store = try Store(models: BatchWorkload.models, in: .memory)
    for number in 1...45 { try BatchWorkload.commit(number, store) }
    #expect(try BatchWorkload.verify(store) == 45)
    switch kind {
    case 0: #expect(try store.delete(Entry.self, 3001))
    case 1: try store.insert(Note(filling: 1, byteCount: 1))
    case 2: try store.update(Entry.self, 4300) { $0.isTouched.toggle() }
    case 3: try store.write { try $0.insert(Entry(batch: 46, place: 0, isTouched: false)) }
    default: try store.update(Counter.self, 0) { $0.value -= 1 }
    }
    #expect(throws: ConformanceFailure.self) { try BatchWorkload.verify(store) }
  }

  @Test func moneyThatIsLostIsSeen() throws {
    let store = try Store(models: AccountWorkload.models, in: .memory)
    try AccountWorkload.prepare(store)
    try AccountWorkload.transfer(store, 20, seed: 1)
    #expect(try AccountWorkload.verify(store) == 20)
    try store.update(Counter.self, 3) { $0.value -= 1 }
    #expect(throws: ConformanceFailure.self) { try AccountWorkload.audit(store, 1) }
  }
}

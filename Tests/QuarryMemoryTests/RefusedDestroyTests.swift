import QuarryBackend
import QuarryCore
import QuarryMemory
import Testing

@Suite struct RefusedDestroyTests {
  @Test func storeThatCannotBeDestroyedStaysOpen() throws {
    let one = try Store(models: [], in: .memory(named: "destroyed while open twice"))
    let two = try Store(models: [], in: .memory(named: "destroyed while open twice"))
    let error = #expect(throws: StorageError.self) { try one.destroy() }
    #expect(error?.code == .inUse)
    #expect(try one.models().isEmpty)
    try two.close()
    try one.destroy()
    #expect(throws: StorageError.self) { try one.models() }
  }
}

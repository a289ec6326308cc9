import Testing

@testable import QuarryMacros

@Suite("What @Model says of sync")
struct SyncedMacroTests {
  @Test("A model says that it is synced, and a property how it is merged")
  func synced() {
    let expansion = Expansion(
      """
      @Model(synced: true) struct B {
        let id: UUID
        @Merge(.counter) var a: Int
        @Merge(.row("x")) var b: Int
        @Merge(MergeOption.row("x")) var c: String
        @Merge(.lww) var d: String
      }
      """)
    #expect(expansion.messages == [])
    #expect(expansion.text.contains("isSynced: true"))
    #expect(expansion.text.contains(#"("a", \B.a, Int.self, merge: .counter)"#))
    #expect(expansion.text.contains(#"("b", \B.b, Int.self, merge: .row("x"))"#))
    #expect(expansion.text.contains(#"("c", \B.c, String.self, merge: .row("x"))"#))
    #expect(expansion.text.contains(#"("d", \B.d, String.self, merge: .lww)"#))
    #expect(!Expansion("@Model(synced: false) struct B { let id: Int }").text.contains("isSynced"))
  }
}

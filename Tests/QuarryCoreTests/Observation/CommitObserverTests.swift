import QuarryBackend
import QuarryMemory
import Testing

@testable import QuarryCore

@Suite struct CommitObserverTests {
  private typealias Word = TextKeyTests.Word

  /// Contract OBS-10, where the store is closed between the two steps of a consumer.
  @Test func aStoreThatIsClosedBeforeACommitIsDescribedEndsWithoutAnError() throws {
    let store = try Store(for: Word.self, in: .memory)
    let observer = CommitObserver(store)
    try store.insert(Word("a"))
    let pending = try #require(taken(observer))
    try store.close()
    #expect(try observer.commit(pending) == nil)
    guard case .ended(nil) = observer.take() else {
      Issue.record("the observer goes on")
      return
    }
  }

  @Test func aCommitIsDescribedWhileTheStoreIsOpen() throws {
    let store = try Store(for: Word.self, in: .memory)
    let observer = CommitObserver(store)
    try store.insert(Word("a"))
    let pending = try #require(taken(observer))
    #expect(try observer.commit(pending)?["Word"]?.inserted == [.string("a")])
  }

  /// The first commit that waits; nil when none comes in ten seconds.
  private func taken(_ observer: CommitObserver) -> ChangeFeed.Pending? {
    let end = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < end {
      if case .pending(let pending) = observer.take() { return pending }
    }
    return nil
  }
}

import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import Testing

/// Patterns and ranges in `#Predicate`.
@Suite struct RegexPredicateTests {
  @Test func patternsAreSearchedFor() throws {
    try FunctionFrontTests.withStore("memory:") { store in
      let end = #Predicate<Track> { $0.title.contains(/5+$/) }
      let letter = #Predicate<Track> { $0.title.contains(/[aü]/) }
      let range = #Predicate<Track> { (2...3).contains($0.id) }
      try FunctionFrontTests.expect(store, try Track.where(end), [5])
      try FunctionFrontTests.expect(store, try Track.where(letter), [1, 2, 5])
      try FunctionFrontTests.expect(store, try Track.where(range), [2, 3])
    }
  }

  @Test func patternsOfOtherSyntaxAreUnsupported() throws {
    let named = #Predicate<Track> { $0.title.contains(/(?<first>a)b/) }
    let error = #expect(throws: StorageError.self) { try Track.where(named) }
    #expect(error?.code == .unsupported)
  }
}

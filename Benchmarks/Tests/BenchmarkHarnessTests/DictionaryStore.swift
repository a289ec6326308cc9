import Foundation
import Synchronization

@testable import BenchmarkHarness

/// What an engine can do wrong.
enum Fault: String, CaseIterable {
  case losesTheLastOfAnInsert, losesSingleInserts, readsAnotherScore, missesTheLastOfAScan, forgetsAFrozenFlag
  case fetchesOneTooFew, countsOneTooMany, filterIgnoresText, sortsByKey, ignoresUpdates, updatesOneTooFew
  case keepsDeleted, deletesNothingByAge, tearsPairs, ignoresReadModifyWrite, forgetsOnClose
  case readsTheWrongWriter, cascadeLeavesOne, keepsNotes, filtersByTheWholeName
  case losesTheLastCommit, tellsOneTooFew
}

/// The simplest store that does the work, and does one thing wrong when told so.
final class DictionaryStore: BenchmarkStore {
  final class Content: Sendable {
    let people = Mutex<[Int64: Person]>([:])
  }

  private let content: Content
  private let fault: Fault?

  init(_ content: Content, _ fault: Fault?) {
    self.content = content
    self.fault = fault
  }

  static func engine(_ name: String = "dictionary", fault: Fault? = nil, peer: String? = nil) -> BenchmarkEngine {
    let shared = Contents()
    return BenchmarkEngine(
      name: name, summary: "a dictionary", version: "1", isQuarry: true, peer: peer,
      openRelated: { _ in RelatedDictionaryStore(fault) }, openObserved: { _ in ObservedDictionaryStore(fault) }
    ) { folder in
      DictionaryStore(shared.content(of: folder, isNew: fault == .forgetsOnClose), fault)
    }
  }

  private final class Contents: Sendable {
    private let all = Mutex<[String: Content]>([:])

    /// A folder without files is a new store.
    func content(of folder: String, isNew: Bool) -> Content {
      all.withLock { all in
        if let known = all[folder], !isNew, FileManager.default.fileExists(atPath: folder + "/mark") { return known }
        let content = Content()
        all[folder] = content
        _ = FileManager.default.createFile(atPath: folder + "/mark", contents: Data([1]))
        return content
      }
    }
  }

  private func sorted() -> [Person] { content.people.withLock { $0.values.sorted { $0.id < $1.id } } }

  func insert(_ people: [Person]) throws {
    content.people.withLock { all in
      for person in people.dropLast(fault == .losesTheLastOfAnInsert ? 1 : 0) { all[person.id] = person }
    }
  }

  func insertSingly(_ people: ArraySlice<Person>, _ latency: LatencyRecorder) throws {
    for person in people {
      let start = latency.start()
      if fault != .losesSingleInserts { content.people.withLock { $0[person.id] = person } }
      latency.stop(start)
    }
  }

  func get(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest {
    var digest = Digest()
    for key in keys {
      let start = latency.start()
      if var person = content.people.withLock({ $0[key] }) {
        if fault == .readsAnotherScore { person.score += 1 }
        digest.add(person)
      }
      latency.stop(start)
    }
    return digest
  }

  func getSingly(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest { try get(keys, latency) }

  func getFrozen(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest {
    Digest.ofParts(parts(keys.compactMap { key in content.people.withLock { $0[key] } }))
  }

  private func parts(_ people: [Person]) -> [Person] {
    guard fault == .forgetsAFrozenFlag else { return people }
    return people.map {
      var person = $0
      person.active = false
      return person
    }
  }

  func people(_ keys: [Int64]) throws -> [Person?] { content.people.withLock { all in keys.map { all[$0] } } }

  func scan() throws -> Digest { Digest.of(sorted().dropLast(fault == .missesTheLastOfAScan ? 1 : 0)) }
  func scanFrozen() throws -> Digest { Digest.ofParts(parts(sorted())) }
  func scan(from key: Int64, count: Int) throws -> Digest {
    Digest.of(sorted().filter { $0.id >= key }.prefix(count))
  }

  func fetch(ages: [Int], _ latency: LatencyRecorder) throws -> Digest {
    var digest = Digest()
    for age in ages {
      let people = sorted().filter { $0.age == age }
      for person in people.dropLast(fault == .fetchesOneTooFew ? 1 : 0) { digest.add(person) }
    }
    return digest
  }

  func count(ages: [Int], _ latency: LatencyRecorder) throws -> Int {
    let people = sorted()
    let count = ages.reduce(0) { sum, age in sum + people.count { $0.age == age } }
    return count + (fault == .countsOneTooMany ? 1 : 0)
  }

  func count(scoreAbove score: Double, emailContaining text: String) throws -> Int {
    sorted().count { $0.score > score && (fault == .filterIgnoresText || $0.email.contains(text)) }
  }

  func firstByEmail(_ limit: Int) throws -> [Int64] {
    let people = sorted()
    let ordered =
      fault == .sortsByKey
      ? people : people.sorted { $0.email.utf8.lexicographicallyPrecedes($1.email.utf8) }
    return ordered.prefix(limit).map(\.id)
  }

  func setScores(_ scores: [KeyedScore], _ latency: LatencyRecorder) throws {
    guard fault != .ignoresUpdates else { return }
    if fault == .tearsPairs, scores.count == 2 {
      for change in scores { content.people.withLock { $0[change.key]?.score = change.score } }
      content.people.withLock { $0[scores[1].key]?.score = -1 }
      return
    }
    content.people.withLock { all in for change in scores { all[change.key]?.score = change.score } }
  }

  func addToScores(age: Int, _ amount: Double) throws -> Int {
    content.people.withLock { all in
      let keys = all.values.filter { $0.age == age }.map(\.id)
      for key in keys.dropLast(fault == .updatesOneTooFew ? 1 : 0) { all[key]?.score += amount }
      return keys.count
    }
  }

  func delete(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Int {
    guard fault != .keepsDeleted else { return keys.count }
    return content.people.withLock { all in keys.count { all.removeValue(forKey: $0) != nil } }
  }

  func delete(age: Int) throws -> Int {
    content.people.withLock { all in
      let keys = all.values.filter { $0.age == age }.map(\.id)
      if fault != .deletesNothingByAge { for key in keys { all[key] = nil } }
      return keys.count
    }
  }

  func readAndAddToScore(_ key: Int64, _ amount: Double) throws -> Digest {
    content.people.withLock { all in
      var digest = Digest()
      if let person = all[key] { digest.add(person) }
      if fault != .ignoresReadModifyWrite { all[key]?.score += amount }
      return digest
    }
  }

  func scores(_ first: Int64, _ second: Int64) throws -> (Double, Double) {
    content.people.withLock { ($0[first]?.score ?? 0, $0[second]?.score ?? 0) }
  }

  func close() throws {}
}

import Foundation
import QuarryBackend
import QuarryCore

/// Looks whether a harness says the truth about its backend, before a run and after it.
struct HarnessInspection {
  let harness: any ConformanceHarness
  let patience: Int

  /// What is wrong with the harness, nothing when the suite may run.
  ///
  /// - Parameters:
  ///   - cases: All cases of the suite, whose ids deviations may name.
  ///   - needsProcess: Whether a second process is going to be started.
  func problems(_ cases: [ConformanceCase], needsProcess: Bool) -> [String] {
    var problems = declarationProblems(cases)
    guard problems.isEmpty else { return problems }
    problems = manifestProblems() + clockProblems()
    guard problems.isEmpty else { return problems }
    problems = persistenceProblems()
    guard problems.isEmpty else { return problems }
    return needsProcess ? processProblems() : []
  }

  private func declarationProblems(_ cases: [ConformanceCase]) -> [String] {
    var problems: [String] = []
    let manifest = harness.manifest
    for capability in Capability.allCases {
      switch manifest.capabilities[capability] {
      case nil: problems.append("the manifest says nothing of \(capability.rawValue)")
      case .unsupported(let reason) where reason.isEmpty:
        problems.append("the manifest gives no reason why \(capability.rawValue) is unsupported")
      default: break
      }
    }
    if manifest.contract != BackendManifest.currentContract {
      problems.append(
        "the manifest is for the contract \(manifest.contract), this kit for \(BackendManifest.currentContract)")
    }
    let known = Set(cases.map(\.id))
    for deviation in harness.deviations {
      if !known.contains(deviation.caseID) { problems.append("a deviation names no case: \(deviation.caseID)") }
      if deviation.reason.isEmpty { problems.append("the deviation of \(deviation.caseID) has no reason") }
    }
    return problems
  }

  /// Compares what the harness declares with what a new store says.
  func manifestProblems() -> [String] {
    guarded("opening a store") { kit in
      let store = try kit.store(Plain.self)
      return Self.differences(harness.manifest, store.manifest)
    }
  }

  /// Looks whether the harness's clock goes on while the system sleeps.
  func clockProblems() -> [String] {
    let clock = harness.clock
    return guarded("reading the harness's clock") { _ in
      let before = clock.now()
      Thread.sleep(forTimeInterval: 0.02)
      let passed = clock.now() - before
      if passed > .zero { return [] }
      return ["the harness's clock \(passed == .zero ? "stands still" : "goes back")"]
    }
  }

  /// Looks whether the second process is one, and finds the places of this one.
  private func processProblems() -> [String] {
    guard harness.isPersistent, let process = harness.secondProcess, process.obstacle == nil else { return [] }
    // Longer than any answer of the process is waited for, so that what it did instead is told.
    return guarded("meeting the second process", within: .seconds(60)) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Item.self], at: place)
      try store.insert(Item(1))
      try store.close()
      let other = try kit.secondProcess(at: place)
      try other.expect("open item", "open")
      let found = try other.ask("ids")
      if found != "1" {
        return ["the second process opened another place, or lost what was there: it found \(found), stored was 1"]
      }
      try other.ask("close")
      try other.finish()
      return []
    }
  }

  private func persistenceProblems() -> [String] {
    let place = try? harness.makePlace()
    guard let place else { return ["the harness makes no place"] }
    defer { harness.remove(place) }
    let object = Plain(1, number: 2, name: "kept", tags: ["t"])
    return guarded("storing, closing and opening again") { kit in
      let first = try kit.open([Plain.self], at: place)
      try first.insert(object)
      try first.close()
      let found: Plain?
      do {
        found = try kit.open([Plain.self], at: place).get(Plain.self, 1)
      } catch {
        guard harness.isPersistent else { return [] }
        return ["the harness says that closed stores can be opened again, but it threw \(error)"]
      }
      switch (harness.isPersistent, found) {
      case (true, nil):
        return ["the harness says that closed stores keep what they had, but one that was opened again is empty"]
      case (true, let found?) where found != object:
        return ["the harness says that closed stores keep what they had, but one that was opened again has other data"]
      case (false, .some):
        return ["the harness says that nothing outlives the closing of a store, but it did: declare isPersistent"]
      default:
        return []
      }
    }
  }

  private func guarded(
    _ what: String, within limit: Duration = .seconds(10),
    _ body: @escaping @Sendable (ConformanceContext) throws -> [String]
  ) -> [String] {
    let (harness, patience) = (harness, patience)
    let limit = limit * patience
    let problems = CaseThread.run(within: limit) { () async -> [String] in
      let kit = ConformanceContext(harness, patience: patience)
      defer { kit.cleanUp() }
      do {
        return try body(kit)
      } catch {
        return ["\(what) threw \(error)"]
      }
    }
    return problems ?? ["\(what) hung for \(limit)"]
  }

  private static func differences(_ declared: BackendManifest, _ live: BackendManifest) -> [String] {
    var differences: [String] = []
    func compare<T: Equatable>(_ name: String, _ declared: T, _ live: T) {
      if declared != live {
        differences.append("the harness declares \(name) as \(declared), the store as \(live)")
      }
    }
    compare("the contract", declared.contract, live.contract)
    compare("the name", declared.name, live.name)
    compare("the engine's version", declared.engineVersion, live.engineVersion)
    compare("the limits", declared.limits, live.limits)
    compare("the isolation", declared.isolation, live.isolation)
    compare("the durability", declared.durability, live.durability)
    compare("the sharing", declared.sharing, live.sharing)
    compare("the writers", declared.writers, live.writers)
    compare("the changes of the schema", declared.schemaChanges, live.schemaChanges)
    for capability in Capability.allCases {
      compare(
        capability.rawValue, declared.capabilities[capability].map { "\($0)" } ?? "nothing",
        live.capabilities[capability].map { "\($0)" } ?? "nothing")
    }
    return differences
  }
}

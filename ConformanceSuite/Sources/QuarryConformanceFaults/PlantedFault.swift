import QuarryConformance

/// A deliberately wrong backend. A kit that does not fail it has a hole.
public struct PlantedFault: Sendable, CustomStringConvertible {
  /// A stable name, `sort.nan-first` for example.
  public let id: String
  /// What is wrong, in one sentence.
  public let summary: String
  /// The clauses of the contract that it breaks. One of them is cited by the case that finds it.
  public let clauses: [String]
  let target: Target

  /// What is wrong: a whole backend, or an engine of ordered keys, which the smaller suite is for as well.
  enum Target: Sendable {
    case backend(@Sendable () -> any ConformanceHarness)
    case engine(@Sendable () -> FaultyEngineHarness)
  }

  /// A harness of backends with the fault.
  func harness() -> any ConformanceHarness {
    switch target {
    case .backend(let make): make()
    case .engine(let make): make()
    }
  }

  public var description: String { id }
  /// The first part of the id.
  public var group: String { String(id.prefix { $0 != "." }) }
}

/// The faults of one kind, told apart by their raw values.
protocol FaultGroup: CaseIterable, RawRepresentable, Sendable where RawValue == String {
  static var group: String { get }
  /// One sentence, and the clauses that are broken.
  var about: (summary: String, clauses: [String]) { get }
  var target: PlantedFault.Target { get }
}

extension FaultGroup {
  static var faults: [PlantedFault] {
    allCases.map { fault in
      PlantedFault(
        id: "\(group).\(hyphened(fault.rawValue))", summary: fault.about.summary, clauses: fault.about.clauses,
        target: fault.target)
    }
  }

  /// `nanFirst` as `nan-first`.
  private static func hyphened(_ name: String) -> String {
    name.reduce(into: "") { text, character in
      if character.isUppercase { text += "-" }
      text += character.lowercased()
    }
  }
}

extension FaultGroup where Self: Twist {
  var target: PlantedFault.Target { .backend { TwistedHarness("\(Self.group).\(rawValue)") { self } } }
}

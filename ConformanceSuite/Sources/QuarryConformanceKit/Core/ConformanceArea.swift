public import QuarryBackend

/// A part of the contract, and what holds of all cases that prove it, so that a case says only in what it differs.
///
/// The cases of an area stand in a folder of its name below `Cases`.
public struct ConformanceArea: Sendable, Hashable {
  /// What the ids of its cases and the names of its clauses begin with, `CRUD` for example.
  public let name: String
  /// The level of its cases, if they say nothing else.
  public let level: ConformanceLevel
  /// What a backend has to offer for its cases.
  ///
  /// A case that meets a refusal which is not listed here counts as refused too, if the manifest declares it and the
  /// refusal's own case passes: see ``ConformanceExecution``.
  public let needs: Set<Capability>
  /// The variants in which its cases say what they mean.
  let variants: Set<ConformanceVariant>
  /// The numbers of the contract's clauses in it; none in an area whose cases prove the clauses of others.
  let clauseNumbers: [Int]

  /// - Parameters:
  ///   - clauses: How many clauses there are from 1 on.
  ///   - more: The numbers of the clauses after a gap.
  ///   - needs: Capabilities beside those without which there is no store with objects.
  ///   - without: Variants in which its cases say something else than they mean.
  init(
    _ name: String, _ level: ConformanceLevel, clauses: Int = 0, more: [ClosedRange<Int>] = [],
    needs: Set<Capability> = [],
    without: Set<ConformanceVariant> = []
  ) {
    self.init(
      name, level, clauses: clauses, more: more, allNeeds: needs.union([.transactions, .schemaCreateModel]),
      without: without)
  }

  /// - Parameter allNeeds: The capabilities, with none that go without saying.
  init(
    _ name: String, _ level: ConformanceLevel, clauses: Int, more: [ClosedRange<Int>] = [],
    allNeeds: Set<Capability>,
    without: Set<ConformanceVariant> = []
  ) {
    self.name = name
    self.level = level
    needs = allNeeds
    variants = Set(ConformanceVariant.allCases).subtracting(without)
    clauseNumbers = Array(0..<clauses).map { $0 + 1 } + more.flatMap(Array.init)
  }

  /// The area of the case with this id. One that is not known is of the last level, so that it cannot make a lower one
  /// easier.
  init(ofCase id: String) {
    let name = String(id.prefix { $0 != "." })
    self = Self.byName[name] ?? ConformanceArea(name, .durable)
  }

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// The names of the contract's clauses in it.
  var clauses: [String] { clauseNumbers.map { "\(name)-\($0)" } }
}

extension ConformanceArea: CustomStringConvertible {
  public var description: String { name }
}

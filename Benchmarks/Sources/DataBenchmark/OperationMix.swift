import BenchmarkHarness

/// A kind of operation of a mix.
public enum OperationKind: Int, Sendable, CaseIterable {
  case get, equal, range, sort, own, update, insert, delete

  /// The name in flags and reports.
  public var name: String { "\(self)" }

  init?(name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }

  public var isWrite: Bool { [.update, .insert, .delete].contains(self) }
  public var isQuery: Bool { [.equal, .range, .sort, .own].contains(self) }
}

/// What part of the operations is of which kind: `get=80,query=10,update=8,insert=2`.
public struct OperationMix: Sendable, Equatable, Codable {
  /// Percents of the kinds that occur, which add up to 100.
  public let shares: [(kind: OperationKind, percent: Double)]

  /// What is run when nothing is said: mostly reads by key, some queries of each kind, some writes.
  public static let usual = "get=80,query=10,update=8,insert=2"

  /// - Parameters:
  ///   - text: The shares.
  ///   - hasOwnQueries: Whether the user gives queries, which `query` means then.
  /// - Throws: `BenchmarkError` for an unknown operation, one that stands twice, a share that is no number from 0 to
  ///   100, and shares that do not add up to 100.
  public init(parsing text: String, hasOwnQueries: Bool = false) throws {
    let names = ["get", "query"] + OperationKind.allCases.dropFirst().map(\.name)
    var percents: [OperationKind: Double] = [:]
    var seen: Set<String> = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
        $0.filter { $0 != " " }
      }
      guard parts.count == 2, !parts[0].isEmpty else {
        throw BenchmarkError("--mix: “\(item)” is no share; write one such as \(Self.usual)")
      }
      let name = parts[0]
      let queries: [OperationKind] = hasOwnQueries ? [.own] : [.equal, .range, .sort]
      let kinds = name == "query" ? queries : OperationKind(name: name).map { [$0] } ?? []
      guard !kinds.isEmpty else {
        throw BenchmarkError("--mix: no operation is called \(name); there are \(names.joined(separator: ", "))")
      }
      guard hasOwnQueries || !kinds.contains(.own) else {
        throw BenchmarkError("--mix: \(name) means the queries of a file, and --queries names none")
      }
      guard seen.insert(name).inserted else { throw BenchmarkError("--mix: \(name) stands twice") }
      guard let percent = Double(parts[1]), percent.isFinite, (0...100).contains(percent) else {
        throw BenchmarkError("--mix: \(name)=\(parts[1]) is not a number of percents from 0 to 100")
      }
      for kind in kinds { percents[kind, default: 0] += percent / Double(kinds.count) }
    }
    let total = percents.values.reduce(0, +)
    guard abs(total - 100) < 0.01 else {
      throw BenchmarkError("--mix: the shares add up to \(Format.share(total)), and must to 100 %")
    }
    self.init(percents)
  }

  private init(_ percents: [OperationKind: Double]) {
    shares = OperationKind.allCases.compactMap { kind in
      percents[kind].flatMap { $0 > 0 ? (kind, $0) : nil }
    }
  }

  public init(from decoder: any Decoder) throws {
    let names = try decoder.singleValueContainer().decode([String: Double].self)
    self.init(
      Dictionary(
        uniqueKeysWithValues: names.compactMap { name, share in OperationKind(name: name).map { ($0, share) } }))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Dictionary(uniqueKeysWithValues: shares.map { ($0.kind.name, $0.percent) }))
  }

  public static func == (left: OperationMix, right: OperationMix) -> Bool {
    left.shares.elementsEqual(right.shares) { $0.kind == $1.kind && $0.percent == $1.percent }
  }

  /// The part of the mix that reads, each kind as often as it is there; empty where nothing reads.
  var reading: [(kind: OperationKind, percent: Double)] { shares.filter { !$0.kind.isWrite } }

  func has(_ kind: OperationKind) -> Bool { shares.contains { $0.kind == kind } }

  /// How many operations of each kind a round of so many has: exactly the shares, rounded so that they add up.
  func counts(_ operations: Int) -> [OperationKind: Int] {
    let exact = shares.map { ($0.kind, $0.percent * Double(operations) / 100) }
    var counts = Dictionary(uniqueKeysWithValues: exact.map { ($0.0, Int($0.1)) })
    let left = operations - counts.values.reduce(0, +)
    let byRest = exact.sorted { $0.1 - $0.1.rounded(.down) > $1.1 - $1.1.rounded(.down) }
    for (kind, _) in byRest.prefix(left) { counts[kind, default: 0] += 1 }
    return counts
  }
}

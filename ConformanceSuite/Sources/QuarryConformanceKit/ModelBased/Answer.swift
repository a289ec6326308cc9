import QuarryBackend

/// What a command gave. Values are compared bit by bit.
enum Answer: Equatable {
  case done
  /// The body threw, and the transaction or savepoint was undone.
  case undone
  case flag(Bool)
  case number(Int)
  case rows([[Value]?])
  case groups([AggregateRow])
  /// Objects by groups, in the groups' order.
  case parts([Part])
  /// What a store found wrong with itself.
  case findings([String])
  case failure(StorageError.Code)
  /// An error that is none of Quarry's.
  case foreign(String)
  /// The reference does not know, or there is nothing to compare.
  case unknown

  /// What kind of answer it is: the code of an error, `nothing` or `something`.
  var kind: String {
    switch self {
    case .failure(let code): code.description
    case .flag(false), .number(0), .rows([]), .rows([nil]), .parts([]): "nothing"
    case .undone: "undone"
    default: "something"
    }
  }

  struct Part: Equatable {
    var key: Value
    var rows: [[Value]]
  }

  /// Whether two engines answered the same.
  func agrees(with other: Answer) -> Bool {
    if self == .unknown || other == .unknown { return true }
    return self == other
  }
}

extension Answer: CustomStringConvertible {
  var description: String {
    switch self {
    case .done: "done"
    case .undone: "undone"
    case .flag(let flag): "\(flag)"
    case .number(let number): "\(number)"
    case .rows(let rows): "\(rows.count) rows" + Self.list(rows.map { $0.map(Self.text) ?? "nil" })
    case .groups(let groups):
      "\(groups.count) groups" + Self.list(groups.map { "\(Self.text($0.groups)): \(Self.text($0.values))" })
    case .parts(let parts):
      "\(parts.count) groups" + Self.list(parts.map { "\($0.key): " + $0.rows.map(Self.text).joined(separator: " ") })
    case .findings(let findings): findings.isEmpty ? "sound" : "found " + findings.joined(separator: "; ")
    case .failure(let code): "the error \(code)"
    case .foreign(let text): "the foreign error \(text)"
    case .unknown: "unknown"
    }
  }

  private static func text(_ values: [Value]) -> String {
    "(" + values.map { CommandText.value($0) }.joined(separator: ", ") + ")"
  }

  private static func list(_ lines: [String]) -> String {
    lines.prefix(12).map { "\n      \($0)" }.joined() + (lines.count > 12 ? "\n      …" : "")
  }
}

import QuarryBackend

/// Words of SQL that conditions and orders write in another way.
extension PredicateReader {
  /// What a reader expects where a word of SQL is.
  enum Place {
    /// An operator.
    case comparison
    /// The end of a condition, or AND and OR.
    case end
    /// The end of a column of an order.
    case order
  }

  /// An error that says what to write in place of the current token; nil where it is no word of SQL.
  func hint(at place: Place) -> StorageError? {
    guard case .word(let word) = lexer.token else { return nil }
    let name = String(decoding: SchemaNames.folded(word), as: UTF8.self)
    return Self.hint(name, place).map { lexer.error($0) }
  }

  private static func hint(_ word: String, _ place: Place) -> String? {
    let name = word.uppercased()
    return switch (place, word) {
    case (.comparison, "is"): "write == nil or != nil in place of IS"
    case (.comparison, "ilike"), (.comparison, "glob"):
      "write LIKE\(word == "ilike" ? "[c]" : "") in place of \(name); its signs are * and ?"
    case (.comparison, "regexp"), (.comparison, "rlike"): "write MATCHES in place of \(name)"
    case (.comparison, "collate"), (.end, "collate"): "write ==[c] in place of COLLATE NOCASE"
    case (.end, "limit"), (.end, "offset"): "\(name) is no part of a condition: write --\(word) or .\(word)(n)"
    case (.end, "order"): "ORDER BY is no part of a condition: write --sort or .sorted(by:)"
    case (.end, "group"), (.end, "having"): "\(name) is no part of a condition: quarry aggregate has groups"
    case (.order, "desc"), (.order, "descending"): "write a minus sign before the column in place of \(name)"
    case (.order, "asc"), (.order, "ascending"): "an order is ascending without \(name)"
    default: nil
    }
  }

  /// An error about a call of a function, such as `lower(title)`.
  func refusedCall(of name: String, at start: Int) -> StorageError {
    let hint =
      switch String(decoding: SchemaNames.folded(name), as: UTF8.self) {
      case "lower", "upper", "lcase", "ucase": "; write ==[c] for a comparison without case"
      case "length", "len", "count": "; write name.@count for the length of a text or an array"
      case "coalesce", "ifnull": "; write OR name == nil"
      case "date", "datetime", "julianday", "strftime": "; write a date as date '2024-05-31'"
      default: ""
      }
    return lexer.error("functions are not supported in predicates\(hint)", at: start)
  }
}

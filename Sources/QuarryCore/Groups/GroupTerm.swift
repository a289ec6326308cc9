import QuarryBackend

/// A figure of each group: `count`, `sum(price)`, `percentile(price, 90)`, `first(title, -year)`.
package struct GroupTerm: Hashable, Sendable {
  var function: GroupFunction
  /// Nil for the number of objects.
  var column: String?
  /// The column by which the first or last object is found, and whether its greatest value comes first.
  var order: String?
  var isDescending = false
  /// The name of the column in the output.
  package var name: String

  /// Whether two terms have the same value, whatever their names.
  func isSame(as other: GroupTerm) -> Bool {
    function == other.function && column == other.column && order == other.order && isDescending == other.isDescending
  }

  /// Reads terms with commas between them; a term may end in `as NAME`.
  ///
  /// - Throws: `invalidQuery`.
  package static func list(_ text: String) throws(StorageError) -> [GroupTerm] {
    var terms: [GroupTerm] = []
    for part in try GroupText.split(text) { terms.append(try GroupTerm(part)) }
    return terms
  }

  /// Reads one term.
  ///
  /// - Throws: `invalidQuery`.
  package init(_ text: String) throws(StorageError) {
    var body = text.trimmingBlanks
    var given: String?
    if let range = GroupText.alias(in: body) {
      given = GroupText.plain(String(body[range.upperBound...]).trimmingBlanks)
      body = String(body[..<range.lowerBound]).trimmingBlanks
      guard given?.isEmpty == false else {
        throw StorageError(.invalidQuery, "\(text.shortened) has no name after \"as\"")
      }
    }
    guard let open = body.utf8.firstIndex(of: UInt8(ascii: "(")) else {
      guard let function = GroupFunction(name: body) else { throw Self.unknown(body) }
      guard function == .count else { throw StorageError(.invalidQuery, "\(body) needs a column: \(body)(COLUMN)") }
      self.init(function: function, name: given ?? body)
      return
    }
    guard body.utf8.last == UInt8(ascii: ")") else {
      throw StorageError(.invalidQuery, "\(text.shortened) has no ')' at its end")
    }
    let word = String(body[..<open]).trimmingBlanks
    let inner = String(body[body.utf8.index(after: open)...].dropLast())
    var parts = try GroupText.names(inner)
    guard let column = parts.first, !column.isEmpty else {
      throw StorageError(.invalidQuery, "\(text.shortened) has no column")
    }
    guard column != "*" else {
      throw StorageError(.invalidQuery, "\(text.shortened) has a star: write count for the number of objects")
    }
    parts.removeFirst()
    if word.lowercased() == "percentile" {
      guard parts.count == 1, let percent = GroupFunction.Percent(parts[0]) else {
        throw StorageError(.invalidQuery, "percentile takes a column and a number from 0 to 100: percentile(price, 90)")
      }
      self.init(function: .percentile(percent), column: column, name: given ?? body)
      return
    }
    guard let function = GroupFunction(name: word) else { throw Self.unknown(word) }
    self.init(function: function, column: column, name: given ?? body)
    if function.isByOrder {
      guard parts.count == 1, !parts[0].isEmpty else {
        throw StorageError(.invalidQuery, "\(word) takes a column and the column of its order: \(word)(title, year)")
      }
      isDescending = parts[0].hasPrefix("-")
      order = isDescending ? String(parts[0].dropFirst()) : parts[0]
    } else if !parts.isEmpty {
      throw StorageError(.invalidQuery, "\(word) takes one column")
    }
  }

  init(function: GroupFunction, column: String? = nil, name: String) {
    self.function = function
    self.column = column
    self.name = name
  }

  private static func unknown(_ word: String) -> StorageError {
    let hint = NearestName.suggestion(for: word, among: GroupFunction.names)
    return StorageError(.invalidQuery, "there is no function \(word.shortened)\(hint)")
  }
}

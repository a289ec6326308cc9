import QuarryBackend
import QuarryInspect
import QuarryQuery

/// The state of a grid, all of it in its address.
struct GridParameters {
  static let limits = [25, 50, 100, 250]
  /// The columns that are shown when none are named.
  static let columnsShown = 30

  var model: String
  var condition: String
  var order: String
  /// The words that are searched for.
  var search: String
  var limit: Int
  var columns: [String]?
  var place: PagePlace?
  /// The number of rows before the page, to be shown; changes of others make it a guess.
  var rowsBefore: Int
  private let query: FormText

  init(_ query: FormText) throws {
    self.query = query
    guard let model = query["model"], !model.isEmpty else { throw StorageError(.invalidQuery, "no model is named") }
    self.model = model
    condition = query["where"] ?? ""
    order = query["sort"] ?? ""
    search = query["find"] ?? ""
    limit = query["limit"].flatMap { Int($0) } ?? 50
    guard (1...PageRequest.mostObjects).contains(limit) else {
      throw StorageError(.invalidQuery, "a page must have from 1 to \(PageRequest.mostObjects) rows", model: model)
    }
    columns = query["columns"].flatMap { text in
      text.isEmpty ? nil : text.split(separator: ",").map { String($0.drop { $0 == " " }) }
    }
    rowsBefore = max(0, query["row"].flatMap { Int($0) } ?? 0)
    if let text = query["after"], !text.isEmpty { place = try PagePlace(.after, text: text) }
    if let text = query["before"], !text.isEmpty { place = try PagePlace(.before, text: text) }
  }

  /// A filter that was put together from a property, a comparison and a value; nil where none is.
  var addition: (property: String, comparison: String, value: String)? {
    guard let property = query["property"], !property.isEmpty else { return nil }
    return (property, query["comparison"] ?? "==", query["value"] ?? "")
  }

  var request: PageRequest {
    PageRequest(
      model: model, condition: condition, order: order, columns: columns, limit: limit, place: place, search: search)
  }

  /// The fields of the address without a place.
  var fields: [(name: String, value: String)] {
    [
      ("model", model), ("find", search), ("where", condition), ("sort", order),
      ("limit", limit == 50 ? "" : String(limit)),
      ("columns", columns?.joined(separator: ",") ?? ""),
    ]
  }

  /// The same with another order.
  func sorted(by order: String) -> [(name: String, value: String)] {
    var copy = self
    copy.order = order
    return copy.fields
  }

  /// The same from another place on.
  func at(_ place: PagePlace, row: Int) -> [(name: String, value: String)] {
    fields + [(place.side.rawValue, place.text ?? ""), ("row", row > 0 ? String(row) : "")]
  }
}

/// A comparison that a person chooses.
enum FilterComparison: String, CaseIterable {
  case equal = "=="
  case unequal = "!="
  case less = "<"
  case atMost = "<="
  case greater = ">"
  case atLeast = ">="
  case contains, begins, ends, isNil, isNotNil

  var words: String {
    switch self {
    case .equal: "is"
    case .unequal: "is not"
    case .less: "is less than"
    case .atMost: "is at most"
    case .greater: "is greater than"
    case .atLeast: "is at least"
    case .contains: "contains"
    case .begins: "begins with"
    case .ends: "ends with"
    case .isNil: "is nil"
    case .isNotNil: "is not nil"
    }
  }

  /// The condition on a property, whose value is read as its type.
  ///
  /// - Throws: `invalidValue` for a text of another type.
  func predicate(_ property: PropertySchema, _ text: String) throws -> PredicateTree {
    let path = Operand.property(PropertyPath(property.name))
    func compare(_ comparison: Comparison) throws -> PredicateTree {
      var value = try FieldText.value(text, of: property)
      // The condition has the number as a person writes it: 1500 and not 1500.0e0.
      if case .double(let number) = value, let whole = Int64(exactly: number), whole.magnitude < 1 << 53 {
        value = .int(whole)
      }
      return .compare(path, comparison, .value(value))
    }
    return switch self {
    case .equal: try compare(.equal)
    case .unequal: try compare(.notEqual)
    case .less: try compare(.less)
    case .atMost: try compare(.lessOrEqual)
    case .greater: try compare(.greater)
    case .atLeast: try compare(.greaterOrEqual)
    case .contains: .text(path, .contains, text, .caseAndDiacriticInsensitive)
    case .begins: .text(path, .hasPrefix, text, .caseAndDiacriticInsensitive)
    case .ends: .text(path, .hasSuffix, text, .caseAndDiacriticInsensitive)
    case .isNil: .compare(path, .equal, .value(.null))
    case .isNotNil: .compare(path, .notEqual, .value(.null))
    }
  }
}

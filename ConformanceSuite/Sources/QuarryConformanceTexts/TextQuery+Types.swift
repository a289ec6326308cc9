import QuarryBackend
import QuarryCore

extension TextQuery {
  /// The types of the columns of the answer.
  func types(_ model: ModelSchema, _ line: TextLine) throws(TextCaseError) -> [TextLine.ColumnType] {
    var types: [TextLine.ColumnType] = []
    for name in columns { types.append(try model.type(of: name, line)) }
    for name in groups { types.append(try model.typeOfGroup(name, line)) }
    for figure in figures.map({ line.cells($0, ",") }) ?? [] { types.append(try model.type(ofFigure: figure, line)) }
    return types
  }
}

extension ModelSchema {
  func type(of name: String, _ line: TextLine) throws(TextCaseError) -> TextLine.ColumnType {
    guard let property = properties.first(where: { $0.name == name }) else {
      throw line.error("\(self.name) has no property \(name)")
    }
    return .init(type: property.type, element: property.elementType)
  }

  /// `NAME`, or a span of a date: `month(NAME)`.
  fileprivate func typeOfGroup(_ name: String, _ line: TextLine) throws(TextCaseError) -> TextLine.ColumnType {
    let (function, argument) = Self.call(name)
    return try type(of: function == nil ? name : argument, line)
  }

  /// `FUNCTION`, `FUNCTION(NAME)` or `FUNCTION(NAME, MORE)`: the types of the clauses AGG-1 to AGG-3 and GRP-3.
  fileprivate func type(ofFigure figure: String, _ line: TextLine) throws(TextCaseError) -> TextLine.ColumnType {
    let plain = figure.firstRange(of: " as ").map { String(figure[..<$0.lowerBound]) } ?? figure
    let (function, argument) = Self.call(plain)
    guard let function else {
      guard argument == "count" else { throw line.error("\(figure) is no figure") }
      return .init(type: .int64)
    }
    let column = try typeOfGroup(line.cells(argument, ",")[0], line)
    switch function {
    case "count", "distinct": return .init(type: .int64)
    case "deviation": return .init(type: .double)
    case "average": return .init(type: column.type == .decimal ? .decimal : .double)
    case "median" where column.type.isNumeric: return .init(type: column.type == .decimal ? .decimal : .double)
    case "sum":
      guard let range = column.type.integerRange else { return column }
      return .init(type: range.lowerBound < 0 ? .int64 : .uint64)
    case "min", "max", "median", "percentile", "first", "last": return column
    case _ where function.hasPrefix("p") && Double(function.dropFirst()) != nil: return column
    default: throw line.error("\(figure) is no figure")
    }
  }

  /// The name of a function and what stands in its parentheses; without these the text itself.
  private static func call(_ text: String) -> (function: String?, argument: String) {
    guard let open = text.firstIndex(of: "("), text.hasSuffix(")") else { return (nil, text) }
    return (String(text[..<open]), String(text[text.index(after: open)...].dropLast()))
  }
}

import QuarryBackend

/// The source of a program's models, and of the function that copies the old data into them.
package struct SwiftModels {
  private let plan: AdoptionPlan
  private let path: String

  /// - Parameter path: The old database, for a comment.
  package init(_ plan: AdoptionPlan, path: String) {
    self.plan = plan
    self.path = path
  }

  package var source: String {
    var lines = [
      "// Models for the tables of \(Self.comment(path)), as quarry adopt found them.", "", "import Foundation",
      "import Quarry",
    ]
    for table in plan.tables { lines += [""] + model(table) }
    lines += [""] + copying
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: Models

  private func model(_ table: TablePlan) -> [String] {
    let model = table.model
    var lines = ["/// The table `\(Self.comment(table.table))`.", "@Model", "struct \(Self.identifier(model.name)) {"]
    for slot in model.shownSlots {
      let property = model.properties[slot]
      var attributes: [String] = []
      if slot == model.primaryKey, property.name != "id" { attributes.append(".primaryKey") }
      if property.search != nil { attributes.append(".searchable") }
      if slot != model.primaryKey, property.reference == nil {
        let own = model.indexes.filter { $0.columns == [IndexSchema.Column(slot: slot)] }
        if own.contains(where: \.isUnique) {
          attributes.append(".unique")
        } else if !own.isEmpty {
          attributes.append(".indexed")
        }
      }
      var line = "  "
      if !attributes.isEmpty { line += "@Attribute(\(attributes.joined(separator: ", "))) " }
      if let reference = property.reference, reference.deleteRule != (property.isOptional ? .nullify : .deny) {
        line += "@Relationship(deleteRule: .\(reference.deleteRule.rawValue)) "
      }
      line += model.isOfKey(slot) ? "let " : "var "
      lines.append(line + "\(Self.identifier(property.name)): \(Self.type(property))")
    }
    let several = model.indexes.filter { index in
      index.columns.count > 1 || index.columns.contains(where: \.isDescending)
    }
    if !several.isEmpty || model.keyMembers != nil { lines.append("") }
    if let members = model.keyMembers {
      let paths = members.map { "\\.\(Self.identifier(model.properties[$0].name))" }
      lines.append("  #PrimaryKey<\(Self.identifier(model.name))>([\(paths.joined(separator: ", "))])")
    }
    for index in several {
      let hasDirections = index.columns.contains(where: \.isDescending)
      let columns = index.columns.map { column in
        let path = "\\.\(Self.identifier(model.properties[column.slot].name))"
        guard hasDirections else { return path }
        return column.isDescending ? ".reverse(\(path))" : ".forward(\(path))"
      }
      let macro = index.isUnique ? "Unique" : "Index"
      lines.append("  #\(macro)<\(Self.identifier(model.name))>([\(columns.joined(separator: ", "))])")
    }
    return lines + ["}"]
  }

  private static func type(_ property: PropertySchema) -> String {
    let name: String
    if let reference = property.reference {
      name = "Ref<\(identifier(reference.model))>"
    } else {
      name =
        switch property.type {
        case .bool: "Bool"
        case .int64: "Int"
        case .double: "Double"
        case .date: "Date"
        case .data: "Data"
        case .uuid: "UUID"
        case .decimal: "Decimal"
        default: "String"
        }
    }
    return name + (property.isOptional ? "?" : "")
  }

  // MARK: Copying

  /// The function that a program calls once, with its own library for the old database.
  private var copying: [String] {
    var lines = [
      "/// Copies the old database into a store that has the models above, in one transaction.", "enum OldDatabase {",
      "  /// - Parameters:", "  ///   - store: A store without objects of these models.",
      "  ///   - rows: Runs a SELECT on the old database, and calls the closure with the columns of each row in their order: an",
      "  ///     integer as `.int`, a real number as `.double`, text as `.string`, a blob as `.data`, NULL as `.null`.",
      "  static func copy(",
      "    into store: Store, rows: (_ sql: String, _ row: ([Value]) throws -> Void) throws -> Void", "  ) throws {",
      "    try store.write { tx in",
    ]
    for table in plan.tables {
      // Objects may refer to others of their own table that come later.
      let refersToItself = table.model.properties.contains { $0.reference?.model == table.model.name }
      let inner = refersToItself ? "        " : "      "
      if refersToItself { lines.append("      try tx.deferringReferences {") }
      lines.append("\(inner)try rows(\(Self.literal(selection(table)))) { row in")
      lines.append("\(inner)  try tx.records.insert(into: \(Self.literal(table.model.name)), [")
      lines.append("\(inner)    Record([")
      for (place, property) in table.model.properties.enumerated() where table.sources[place] != .key {
        let value = conversion(table.sources[place], property, place)
        lines.append("\(inner)      \(Self.literal(property.name)): \(value),")
      }
      lines += ["\(inner)    ])", "\(inner)  ])", "\(inner)}"]
      if refersToItself { lines.append("      }") }
    }
    return lines + ["    }", "  }"] + helpers + ["}"]
  }

  private func selection(_ table: TablePlan) -> String {
    let columns = table.sources.compactMap { source -> String? in
      switch source {
      case .column(let name, _): ForeignDatabase.quoted(name)
      case .rowID(let name): name
      case .counted: "row_number() OVER ()"
      // It comes last.
      case .key: nil
      }
    }
    return "SELECT \(columns.joined(separator: ", ")) FROM \(ForeignDatabase.quoted(table.table))"
  }

  private func conversion(_ source: TablePlan.Source, _ property: PropertySchema, _ place: Int) -> String {
    let value = "row[\(place)]"
    guard case .column(_, let form) = source else { return value }
    switch form {
    case .value: return property.type == .bool ? "try bool(\(value))" : value
    case .seconds1970: return "try date(\(value), since: 0, unit: 1)"
    case .milliseconds1970: return "try date(\(value), since: 0, unit: 1000)"
    case .seconds2001: return "try date(\(value), since: 978_307_200, unit: 1)"
    case .dateText: return "try date(text: \(value))"
    case .uuidText: return "try uuid(\(value))"
    case .uuidBytes: return "try uuid(bytes: \(value))"
    case .decimalText: return "try decimal(\(value))"
    case .text: return "text(\(value))"
    case .bytes: return "bytes(\(value))"
    case .names(let names):
      let list = names.sorted { $0.key < $1.key }.map { "\($0.key): \(Self.literal($0.value))" }
      return "name(\(value), [\(list.joined(separator: ", "))])"
    }
  }

  /// The functions that conversions call, and no others.
  private var helpers: [String] {
    var names: Set<String> = []
    for table in plan.tables {
      for (place, property) in table.model.properties.enumerated() {
        let call = conversion(table.sources[place], property, place)
        for helper in SwiftHelpers.all where call.contains(helper.call) { names.insert(helper.call) }
      }
    }
    let needed = SwiftHelpers.all.filter { names.contains($0.call) }
    let refusal = needed.contains { $0.source.contains("throw wrong") } ? ["", SwiftHelpers.refusal] : []
    return needed.flatMap { ["", $0.source] } + refusal
  }

  // MARK: Text

  private static let keywords: Set<String> = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else",
    "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init",
    "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat",
    "rethrows", "return", "self", "Self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
    "try", "typealias", "var", "where", "while", "Any", "Type", "Protocol",
  ]

  static func identifier(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  /// A string of any text.
  static func literal(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _
      where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
        || scalar.properties.generalCategory == .format || (0x2028...0x2029).contains(scalar.value):
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// A name in a comment, which it cannot end.
  private static func comment(_ text: String) -> String { String(literal(text).dropFirst().dropLast()) }
}

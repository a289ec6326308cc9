import SwiftSyntax
import SwiftSyntaxBuilder

extension ModelDescription {
  /// All of the conformance but the init.
  ///
  /// Types are named with their module, so that another `Column` or `Model` in sight does no harm. Members are
  /// `nonisolated`, because transactions use them on their own thread whatever the module's default isolation is.
  var members: [DeclSyntax] {
    [definition, columns, primaryKeyValue, write]
  }

  private var definition: DeclSyntax {
    var lines = ["\(access)nonisolated static let modelDefinition = QuarryCore.ModelDefinition<\(typeName)>("]
    lines.append("  name: \(storedName.sourceLiteral),")
    lines.append("  properties: [")
    lines += properties.map { "    \($0.definition(in: typeName))," }
    lines.append("  ],")
    lines.append("  primaryKey: \(key.name.sourceLiteral)\(indexes.isEmpty ? "" : ",")")
    if !indexes.isEmpty {
      lines.append("  indexes: [")
      lines += indexes.map { "    \($0.definition)," }
      lines.append("  ]")
    }
    lines.append(")")
    return "\(raw: lines.joined(separator: "\n"))"
  }

  private var columns: DeclSyntax {
    var lines = ["\(access)nonisolated struct Columns: QuarryCore.ModelColumns {"]
    for (place, property) in properties.enumerated() {
      let column = "QuarryCore.Column<\(property.type.text)>(\(property.name.sourceLiteral), \(place))"
      // A variable only where the program may set the property itself: assignments take writable key paths.
      let declaration = property.columnSetter.map { "\($0.modifier)nonisolated var" } ?? "nonisolated let"
      lines.append("  \(property.columnAccess)\(declaration) \(property.token) = \(column)")
    }
    lines.append("  \(access)nonisolated init() {")
    lines.append("  }")
    lines.append("}")
    return "\(raw: lines.joined(separator: "\n"))"
  }

  private var primaryKeyValue: DeclSyntax {
    """
    \(raw: access)nonisolated var primaryKeyValue: \(raw: key.type.text) {
      self.\(raw: key.token)
    }
    """
  }

  private var write: DeclSyntax {
    var lines = [
      "\(access)nonisolated func write(to row: QuarryCore.ModelWriter) throws(QuarryCore.StorageError) {"
    ]
    for (place, property) in properties.enumerated() {
      lines.append("  try row.set(\(place), self.\(property.token))")
    }
    lines.append("}")
    return "\(raw: lines.joined(separator: "\n"))"
  }

  /// The conformance with the init. It names no type of a property: see ``ModelMacro``.
  func conformance(of type: String) -> ExtensionDeclSyntax {
    var lines = [
      "extension \(type): QuarryCore.Model {",
      "  \(access)nonisolated init(reading row: QuarryCore.ModelReader) throws(QuarryCore.StorageError) {",
    ]
    for (place, property) in properties.enumerated() {
      lines.append("    self.\(property.token) = try row.get(\(place))")
    }
    lines.append("  }")
    lines.append("}")
    return DeclSyntax("\(raw: lines.joined(separator: "\n"))").cast(ExtensionDeclSyntax.self)
  }

  private var key: PropertyDescription { properties[primaryKey] }
}

extension PropertyDescription {
  fileprivate func definition(in model: String) -> String {
    var arguments = [name.sourceLiteral, "\\\(model).\(token)", "\(type.metatype)"]
    if let defaultValue { arguments.append("default: \(defaultValue)") }
    if let originalName { arguments.append("originalName: \(originalName.sourceLiteral)") }
    return "QuarryCore.PropertyDefinition(\(arguments.joined(separator: ", ")))"
  }
}

extension StorableType {
  fileprivate var metatype: String { "\(text).self" }
}

extension IndexDescription {
  fileprivate var definition: String {
    let list = columns.map { column in
      column.isReverse
        ? "QuarryCore.IndexDefinition.Column(\(column.property.sourceLiteral), order: .reverse)"
        : column.property.sourceLiteral
    }
    var arguments = ["[\(list.joined(separator: ", "))]"]
    if isUnique { arguments.append("isUnique: true") }
    if let name { arguments.append("name: \(name.sourceLiteral)") }
    return "QuarryCore.IndexDefinition(\(arguments.joined(separator: ", ")))"
  }
}

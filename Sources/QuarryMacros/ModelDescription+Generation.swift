import SwiftSyntax
import SwiftSyntaxBuilder

extension ModelDescription {
  /// All of the conformance but the init.
  ///
  /// Types are named with their module, so that another `Column` or `Model` in sight does no harm. Members are
  /// `nonisolated`, because transactions use them on their own thread whatever the module's default isolation is.
  var members: [DeclSyntax] {
    [definition, columns] + [keyType].compactMap(\.self) + [primaryKeyValue, write]
      + [memberwiseInit].compactMap(\.self)
  }

  private var definition: DeclSyntax {
    var lines = ["\(access)nonisolated static let modelDefinition = QuarryCore.ModelDefinition<\(typeName)>("]
    lines.append("  name: \(storedName.sourceLiteral),")
    lines.append("  properties: [")
    lines += properties.map { "    \($0.definition(in: typeName))," }
    if compoundKey != nil {
      let name = Self.keyName.sourceLiteral
      lines.append("    QuarryCore.PropertyDefinition(\(name), \\\(typeName).primaryKeyValue, Key.self),")
    }
    lines.append("  ],")
    var rest = keyArguments
    if !indexes.isEmpty { rest.append(Self.list("indexes", of: indexes.map(\.definition))) }
    if !relations.isEmpty { rest.append(Self.list("relations", of: relations.map { $0.definition(in: typeName) })) }
    if generatesKey { rest.append("  generatesKey: true") }
    if let originalName { rest.append("  originalName: \(originalName.sourceLiteral)") }
    if let syncName { rest.append("  syncName: \(syncName.sourceLiteral)") }
    if isSynced { rest.append("  isSynced: true") }
    lines.append(rest.joined(separator: ",\n"))
    lines.append(")")
    return "\(raw: lines.joined(separator: "\n"))"
  }

  /// An argument that is a list, with a line for each element.
  private static func list(_ label: String, of elements: [String]) -> String {
    (["  \(label): ["] + elements.map { "    \($0)," } + ["  ]"]).joined(separator: "\n")
  }

  private var columns: DeclSyntax {
    var lines = ["\(access)nonisolated struct Columns: QuarryCore.ModelColumns {"]
    lines += properties.flatMap(\.check)
    for (place, property) in properties.enumerated() {
      let column = "QuarryCore.Column<\(property.checkedType(in: nil))>(\(property.name.sourceLiteral), \(place))"
      // A variable only where the program may set the property itself: assignments take writable key paths.
      // The struct is not isolated, so neither are its columns; the compiler would complain of a variable that says so
      // when its type has no meaning.
      let isolation = property.isChecked ? "" : "nonisolated "
      let declaration = property.columnSetter.map { "\($0.modifier)\(isolation)var" } ?? "\(isolation)let"
      lines.append("  \(property.columnAccess)\(declaration) \(property.token) = \(column)")
    }
    for relation in relations {
      lines.append(
        "  \(relation.columnAccess)nonisolated let \(relation.token) = "
          + "QuarryCore.ManyColumn<\(relation.object)>(\(relation.name.sourceLiteral))")
    }
    lines += properties.typeChecks(inNested: false)
    lines.append("  \(access)nonisolated init() {")
    lines.append("  }")
    lines.append("}")
    return "\(raw: lines.joined(separator: "\n"))"
  }

  /// The init that the compiler would write, with the access level that was asked for.
  private var memberwiseInit: DeclSyntax? {
    guard let initAccess else { return nil }
    let parameters = properties.map { property in
      "  \(property.token): \(property.type.text)" + (property.initialValue.map { " = \($0)" } ?? "")
    }
    var lines = ["\(initAccess)nonisolated init("]
    lines.append(parameters.joined(separator: ",\n"))
    lines.append(") {")
    lines += properties.map { "  self.\($0.token) = \($0.token)" }
    lines.append("}")
    return "\(raw: lines.joined(separator: "\n"))"
  }

  private var write: DeclSyntax {
    var lines = [
      "\(access)nonisolated func write(to row: QuarryCore.ModelWriter) throws(QuarryCore.StorageError) {"
    ]
    for (place, property) in properties.enumerated() {
      let cast = !property.isChecked ? "" : " as \(property.checkedType())"
      lines.append("  try row.set(\(place), self.\(property.token)\(cast))")
    }
    if compoundKey != nil { lines.append("  try row.set(\(properties.count), self.primaryKeyValue)") }
    lines.append("}")
    return "\(raw: lines.joined(separator: "\n"))"
  }

  /// The conformance with the init. It names no type of a property: see ``ModelMacro``.
  func conformance(of type: String) -> ExtensionDeclSyntax {
    var lines = [
      "extension \(type): nonisolated QuarryCore.Model {",
      "  \(access)nonisolated init(reading row: QuarryCore.ModelReader) throws(QuarryCore.StorageError) {",
    ]
    for (place, property) in properties.enumerated() {
      let type = !property.isChecked ? "" : ", as: \(property.checkedType().metatype)"
      lines.append("    self.\(property.token) = try row.get(\(place)\(type))")
    }
    lines.append("  }")
    lines.append("}")
    return DeclSyntax("\(raw: lines.joined(separator: "\n"))").cast(ExtensionDeclSyntax.self)
  }
}

extension PropertyDescription {
  fileprivate func definition(in model: String) -> String {
    var arguments = [name.sourceLiteral, keyPath(in: model), checkedType().metatype]
    if let defaultValue { arguments.append("default: \(defaultValue)") }
    if let originalName { arguments.append("originalName: \(originalName.sourceLiteral)") }
    if let deleteRule { arguments.append("deleteRule: .\(deleteRule)") }
    if let searchWeight {
      let language = searchLanguage.map { ", language: \($0)" } ?? ""
      arguments.append("search: .init(weight: \(searchWeight)\(language))")
    }
    if let syncName { arguments.append("syncName: \(syncName.sourceLiteral)") }
    if let merge { arguments.append("merge: \(merge)") }
    return "QuarryCore.PropertyDefinition(\(arguments.joined(separator: ", ")))"
  }

  /// The key path of the property. `\B.Type` would be the type of a type, so that such a name gets its root from around.
  func keyPath(in type: String) -> String {
    Self.namesOfTypes.contains(name) ? "\\.\(token)" : "\\\(type).\(token)"
  }

  /// Names that mean something else behind the point of a type, with backticks too.
  static let namesOfTypes: Set = ["Type", "Protocol"]

  // A type that is not Storable is reported once, at the property, and not at each use. The uses take the type from an alias, and
  // are silent about one that has no meaning.

  /// The declaration of the alias, among the columns.
  var check: [String] {
    guard isChecked else { return [] }
    let alias = "  \(columnAccess)typealias \(aliasName) = QuarryCore.StoredForm<\(type.leaf)>.Value"
    guard let location else { return [alias] }
    return ["#sourceLocation(file: \(location.file), line: \(location.line))", alias, "#sourceLocation()"]
  }

  /// A call that the compiler accepts if the type can be stored, and answers with what to write instead if it cannot.
  fileprivate func typeCheck(inNested: Bool) -> [String] {
    // For a reference, Ref itself checks the type of its object.
    guard isChecked, type.baseName != "Ref", let location else { return [] }
    let function = inNested ? "member" : type.isArray ? "elements" : "property"
    return [
      "#sourceLocation(file: \(location.file), line: \(location.line))",
      "    QuarryCore.StoredTypeCheck.\(function)(\(type.leaf).self)",
      "#sourceLocation()",
    ]
  }

  /// The type of the property by way of the alias.
  ///
  /// - Parameter columns: The type that has the alias; nil inside that type.
  func checkedType(in columns: String? = "Columns") -> String {
    guard isChecked else { return type.text }
    return type.text(leaf: columns.map { "\($0).\(aliasName)" } ?? aliasName)
  }

  /// Whether the type goes by the alias. An alias of a type that is private to the struct would not be seen in it.
  var isChecked: Bool { !type.isBuiltIn && columnAccess != "private " }

  private var aliasName: String { name.isPlainIdentifier ? "_\(name)Type" : "`_\(name)Type`" }
}

extension [PropertyDescription] {
  /// A function that is never called, in which the types of the properties are checked.
  func typeChecks(inNested: Bool) -> [String] {
    let checks = flatMap { $0.typeCheck(inNested: inNested) }
    return checks.isEmpty ? [] : ["  fileprivate nonisolated static func _checkTypes() {"] + checks + ["  }"]
  }
}

extension String {
  /// The expression for a type.
  var metatype: String { "\(self).self" }

  /// Whether the text is an identifier that needs no backticks after a letter.
  fileprivate var isPlainIdentifier: Bool { wholeMatch(of: /\w+/) != nil }
}

extension RelationDescription {
  fileprivate func definition(in model: String) -> String {
    let rule = deleteRule.map { ", deleteRule: .\($0)" } ?? ""
    if let inverse { return "QuarryCore.RelationDefinition(\(name.sourceLiteral), inverse: \(inverse)\(rule))" }
    let duplicates = allowsDuplicates ? ", allowsDuplicates: true" : ""
    return "QuarryCore.RelationDefinition(\(name.sourceLiteral), links: \\\(model).\(name)\(duplicates)\(rule))"
  }
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

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The description of a struct that `@Nested` has read.
struct NestedDescription {
  /// The struct's name as it is written, with backticks if it has them.
  var typeName: String
  /// The access level of the generated members with a space after it, or nothing.
  var access: String
  fileprivate var properties: [PropertyDescription]
  /// Whether `CodingKeys` has to be generated, because Codable would write a property that is not stored.
  fileprivate var needsKeys: Bool

  /// All of the conformance.
  var members: [DeclSyntax] { [keys, definition, columns].compactMap { $0 } }
}

extension ModelParser {
  /// The description of the struct, or nil if it has errors.
  mutating func parseNested(
    _ declaration: some DeclGroupSyntax, in context: some MacroExpansionContext
  ) -> NestedDescription? {
    guard let declaration = parseMembers(declaration, in: context) else { return nil }
    let attributes = declaration.attributes.compactMap { $0.as(AttributeSyntax.self) }
    if let model = attributes.first(where: { $0.shortName == "Model" }) {
      diagnostics.error(
        .modelAndNested,
        "a struct cannot be both @Model and @Nested: it is either a model with a key, or a part of one",
        at: model)
    }
    guard !diagnostics.hasErrors else { return nil }
    return NestedDescription(
      typeName: self.model, access: access, properties: properties.map(\.description),
      needsKeys: codingKeys == nil && unstored.values.contains("is @Transient"))
  }
}

extension NestedDescription {
  private var keys: DeclSyntax? {
    guard needsKeys else { return nil }
    var lines = ["nonisolated enum CodingKeys: Swift.String, Swift.CodingKey {"]
    lines += properties.map { "  case \($0.token)" }
    lines.append("}")
    return "\(raw: lines.joined(separator: "\n"))"
  }

  private var definition: DeclSyntax {
    var lines = [
      "\(access)nonisolated static let nestedDefinition = QuarryCore.NestedDefinition<\(typeName)>(members: ["
    ]
    lines += properties.map { "  \($0.member(in: typeName))," }
    lines.append("])")
    return "\(raw: lines.joined(separator: "\n"))"
  }

  private var columns: DeclSyntax {
    var lines = ["\(access)nonisolated struct Columns: QuarryCore.NestedColumns {"]
    for property in properties where property.type.isStorable {
      lines += property.check
      lines.append(
        "  \(property.columnAccess)nonisolated var \(property.token): "
          + "QuarryCore.MemberColumn<\(property.checkedType(in: nil))> {")
      lines.append("    QuarryCore.MemberColumn(\(property.keyName))")
      lines.append("  }")
    }
    lines += properties.filter(\.type.isStorable).typeChecks(inNested: true)
    lines.append("  \(access)nonisolated init() {")
    lines.append("  }")
    lines.append("}")
    return "\(raw: lines.joined(separator: "\n"))"
  }
}

extension PropertyDescription {
  /// The name that Codable writes, which a struct may have chosen in its `CodingKeys`.
  fileprivate var keyName: String {
    Self.namesOfTypes.contains(name) ? name.sourceLiteral : "CodingKeys.\(token).stringValue"
  }

  fileprivate func member(in type: String) -> String {
    var arguments = [keyName, keyPath(in: type)]
    if self.type.isStorable { arguments.append("\(checkedType()).self") }
    // An optional that is missing is nil: Codable leaves nil out.
    if let defaultValue, !self.type.isOptional { arguments.append("default: \(defaultValue)") }
    return "QuarryCore.MemberDefinition(\(arguments.joined(separator: ", ")))"
  }
}

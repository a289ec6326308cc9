import SwiftSyntax

/// The attributes of a stored property.
struct ParsedAttributes {
  private(set) var options: [ParsedOption] = []
  private(set) var originalName: String?
  private(set) var originalNameNode: Syntax?
  private(set) var syncName: ParsedSyncName?
  private(set) var transient: AttributeSyntax?
  private(set) var relationship: ParsedRelationship?
  private(set) var merge: ParsedMerge?
  /// An attribute that may be a property wrapper.
  private(set) var wrapper: AttributeSyntax?

  init(_ attributes: AttributeListSyntax, _ diagnostics: inout Diagnostics) {
    for element in attributes {
      switch element {
      case .ifConfigDecl(let conditional):
        diagnostics.error(
          .conditionalMember,
          "a macro cannot see which branch of '#if' is compiled, so what is stored cannot depend on it",
          at: conditional)
      case .attribute(let attribute):
        switch attribute.shortName {
        case "Attribute": read(attribute, &diagnostics)
        case "Transient": transient = attribute
        case "Merge": merge = ParsedMerge(attribute, &diagnostics)
        case "Relationship":
          relationship = ParsedRelationship(attribute, &diagnostics)
          readOriginalName(of: attribute, &diagnostics)
        // The language's own attributes begin with a small letter.
        case let name where name.isTypeName: wrapper = attribute
        default: break
        }
      }
    }
  }

  private mutating func read(_ attribute: AttributeSyntax, _ diagnostics: inout Diagnostics) {
    readOriginalName(of: attribute, &diagnostics)
    syncName = ParsedSyncName(attribute, &diagnostics)
    for argument in attribute.labeledArguments
    where !["originalName", "syncName"].contains(argument.label?.text) {
      let call = argument.expression.as(FunctionCallExprSyntax.self)
      let member = (call?.calledExpression ?? argument.expression).as(MemberAccessExprSyntax.self)
      if let call, member?.declName.baseName.text == "searchable" {
        readSearch(call, &diagnostics)
        continue
      }
      guard call == nil, let member, let kind = ParsedOption.Kind(rawValue: member.declName.baseName.text) else {
        diagnostics.error(
          .unknownOption,
          "write an option as '.primaryKey', '.generated', '.unique', '.indexed' or '.searchable', "
            + "because the macro sees only the source",
          at: argument.expression)
        continue
      }
      options.append(ParsedOption(kind: kind, node: Syntax(argument.expression)))
    }
  }

  /// Reads `.searchable(weight: 3)`, `.searchable(language: .english)` and both.
  private mutating func readSearch(_ call: FunctionCallExprSyntax, _ diagnostics: inout Diagnostics) {
    var option = ParsedOption(kind: .searchable, node: Syntax(call))
    for argument in call.arguments {
      if argument.label?.text == "language" {
        guard let member = argument.expression.as(MemberAccessExprSyntax.self) else {
          diagnostics.error(
            .notLiteral, "write the language as '.english', because the macro sees only the source", at: argument)
          return
        }
        option.language = member.trimmedDescription
        continue
      }
      let literal = argument.expression.as(IntegerLiteralExprSyntax.self)?.representedLiteralValue
      guard let weight = literal, (1...1_000).contains(weight) else {
        diagnostics.error(
          .notLiteral, "the weight must be a literal from 1 to 1000, because the macro sees only the source", at: call)
        return
      }
      option.weight = weight
    }
    options.append(option)
  }

  private mutating func readOriginalName(of attribute: AttributeSyntax, _ diagnostics: inout Diagnostics) {
    let argument = attribute.labeledArguments.first { $0.label?.text == "originalName" }
    guard let expression = argument?.expression, !expression.is(NilLiteralExprSyntax.self) else { return }
    guard let name = expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue, !name.isEmpty else {
      diagnostics.error(
        .notLiteral, "the original name must be a string literal and not empty, because the macro sees only the source",
        at: expression)
      return
    }
    if originalName != nil {
      diagnostics.error(.originalName, "another attribute already gives the original name", at: expression)
    }
    originalName = name
    originalNameNode = Syntax(expression)
  }
}

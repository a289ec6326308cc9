import SwiftSyntax

extension DeclModifierListSyntax {
  /// The access level of the setter where it has one of its own.
  var setterAccess: Keyword? {
    for modifier in self where modifier.detail?.detail.text == "set" {
      if case .keyword(let keyword) = modifier.name.tokenKind { return keyword }
    }
    return nil
  }

  /// The access level, not the access level of a setter.
  var access: Keyword? {
    for modifier in self where modifier.detail == nil {
      if case .keyword(let keyword) = modifier.name.tokenKind,
        [.public, .open, .package, .internal, .fileprivate, .private].contains(keyword)
      {
        return keyword
      }
    }
    return nil
  }

  func contains(_ keyword: Keyword) -> Bool {
    contains { $0.name.tokenKind == .keyword(keyword) }
  }
}

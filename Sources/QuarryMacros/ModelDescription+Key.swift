import SwiftSyntax
import SwiftSyntaxBuilder

extension ModelDescription {
  /// The property with the bytes of a compound key: `KeyMember.propertyName` of QuarryBackend.
  static let keyName = "_key"

  /// The members of a compound key; nil where the key is one property.
  var compoundKey: [PropertyDescription]? {
    keyMembers.count > 1 ? keyMembers.map { properties[$0] } : nil
  }

  var primaryKeyValue: DeclSyntax {
    guard compoundKey != nil else {
      let key = properties[keyMembers[0]]
      return """
        \(raw: access)nonisolated var primaryKeyValue: \(raw: key.checkedType()) {
          self.\(raw: key.token)
        }
        """
    }
    return """
      \(raw: access)nonisolated var primaryKeyValue: Key {
        Key(self)
      }
      """
  }

  /// The type of a compound key; nil where the key is one property.
  var keyType: DeclSyntax? {
    guard let compoundKey else { return nil }
    let types = compoundKey.map { $0.checkedType() }
    var lines = ["\(access)nonisolated struct Key: QuarryCore.CompoundKey {"]
    for (member, type) in zip(compoundKey, types) {
      lines.append("  \(member.columnAccess)var \(member.token): \(type)")
    }
    let parameters = zip(compoundKey, types).map { "\($0.token): \($1)" }.joined(separator: ", ")
    lines.append("  \(access)nonisolated init(\(parameters)) {")
    lines += compoundKey.map { "    self.\($0.token) = \($0.token)" }
    lines.append("  }")
    lines.append("  \(access)nonisolated init(_ object: \(typeName)) {")
    lines += compoundKey.map { "    self.\($0.token) = object.\($0.token)" }
    lines.append("  }")
    lines.append("  \(access)nonisolated static var memberTypes: [any QuarryCore.Storable.Type] {")
    lines.append("    [\(compoundKey.map { $0.checkedType().metatype }.joined(separator: ", "))]")
    lines.append("  }")
    lines.append(
      "  \(access)nonisolated init(reading key: inout QuarryCore.KeyMemberReader) throws(QuarryCore.StorageError) {")
    lines += compoundKey.map { "    self.\($0.token) = try key.next()" }
    lines.append("  }")
    lines.append(
      "  \(access)nonisolated func write(to key: QuarryCore.KeyMemberWriter) throws(QuarryCore.StorageError) {")
    lines += compoundKey.map { "    try key.append(self.\($0.token))" }
    lines.append("  }")
    lines.append("}")
    return "\(raw: lines.joined(separator: "\n"))"
  }

  /// The arguments of the definition that say what the key is.
  var keyArguments: [String] {
    guard let compoundKey else { return ["  primaryKey: \(properties[keyMembers[0]].name.sourceLiteral)"] }
    let names = compoundKey.map(\.name.sourceLiteral).joined(separator: ", ")
    return ["  primaryKey: \(Self.keyName.sourceLiteral)", "  keyMembers: [\(names)]"]
  }
}

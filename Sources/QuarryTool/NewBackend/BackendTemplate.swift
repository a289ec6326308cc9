/// The files of a package with a backend of its own.
struct BackendTemplate {
  /// The name of the package and its command, such as `my-store`.
  let name: String
  /// The prefix of its types, such as `MyStore`.
  let type: String
  /// The place of Quarry, in the form of a package manifest.
  let dependency: String

  /// - Returns: Nil for a name of which no type can be named: it begins with a letter and has letters, digits and hyphens.
  init?(name: String, quarry: String) {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    let isName = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isName, name.utf8.count <= 40, !parts.contains(""), name.first?.isLetter == true else { return nil }
    let type = parts.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    // Modules of these names would hide Quarry's modules, or be hidden.
    guard !type.hasPrefix("Quarry"), type != "Swift", type != "Foundation", type != "Testing" else { return nil }
    self.type = type
    self.name = name
    let quoted = quarry.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    dependency =
      quarry.contains("://")
      ? ".package(url: \"\(quoted)\", branch: \"main\", traits: [])"
      : ".package(name: \"quarry\", path: \"\(quoted)\", traits: [])"
  }

  /// The paths of the files below the package's folder, with their texts.
  var files: [(path: String, text: String)] {
    [
      ("Package.swift", Self.package), ("README.md", Self.readme), (".gitignore", ".build\n"),
      ("Sources/__Type__/__Type__Engine.swift", Self.engine), ("Sources/__Type__/State.swift", Self.state),
      ("Sources/__Type__/__Type__Transaction.swift", Self.transaction),
      ("Sources/__Type__/__Type__Provider.swift", Self.provider),
      ("Sources/__Type__Harness/__Type__Harness.swift", Self.harness),
      ("Sources/__name__-conformance/main.swift", Self.main),
      ("Tests/__Type__Tests/__Type__Tests.swift", Self.tests),
    ].map { (filled($0), filled($1)) }
  }

  private func filled(_ text: String) -> String {
    text.replacing("__Type__", with: type).replacing("__name__", with: name)
      .replacing("__dependency__", with: dependency)
  }
}

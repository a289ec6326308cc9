import QuarryBackend

/// The name under which a model or a column travels, compared by its UTF-8 bytes: SYNC-31.
package struct SyncName: Sendable, Hashable, Comparable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  /// The register without a value that says when an object went behind others in its unique indexes.
  package static let claim = SyncName("!")

  package static func == (left: SyncName, right: SyncName) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: text)
  }

  package static func < (left: SyncName, right: SyncName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

extension SyncName: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) {
    self.init(text)
  }
}

/// A text operator with its needle, folded once.
package struct TextMatcher: TextFunctionMatcher {
  private let operation: TextOperator
  private let options: TextOptions
  private let needle: ByteNeedle
  private let pattern: LikePattern?

  package init(_ operation: TextOperator, _ needle: String, _ options: TextOptions) {
    let folded = TextFolding.folded(needle, options)
    self.operation = operation
    self.options = options
    self.needle = ByteNeedle(folded)
    pattern = operation == .like ? LikePattern(folded) : nil
  }

  /// The cost of a test relative to a comparison of numbers.
  package var cost: Int {
    if !options.isEmpty { return 40 }
    return operation == .contains || operation == .like ? 10 : 4
  }

  /// - Throws: `corrupt` when text that must be folded is not UTF-8.
  @inline(__always)
  func matches(_ text: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    if options.isEmpty { return matchesFolded(text) }
    return try TextFolding.withFolded(text, options) { matchesFolded($0) }
  }

  @inline(__always)
  private func matchesFolded(_ text: UnsafeRawBufferPointer) -> Bool {
    switch operation {
    case .equal: needle.equals(text)
    case .contains: needle.isContained(in: text)
    case .hasPrefix: needle.isPrefix(of: text)
    case .hasSuffix: needle.isSuffix(of: text)
    case .like: pattern?.matches(text) ?? false
    }
  }

  package func matches(text: UnsafeRawBufferPointer) throws(StorageError) -> Bool { try matches(text) }
}

/// A call of a function, made ready to decide about many values. None of them is nil.
public protocol FunctionMatcher {
  /// The cost of a decision relative to a comparison of two numbers. Cheaper tests of a conjunction run first.
  var cost: Int { get }

  /// Whether the call is true of a value.
  ///
  /// - Parameter value: A value of a type for which the function is defined; never null.
  /// - Throws: `corrupt` for text that is not UTF-8.
  func matches(_ value: Value) throws(StorageError) -> Bool

  /// Whether the call is true of a text or a URL, in the UTF-8 bytes of a row.
  ///
  /// - Parameter text: The UTF-8 bytes, lent for the call.
  /// - Throws: `corrupt` for bytes that are not UTF-8, if the function has to decode them.
  func matches(text: UnsafeRawBufferPointer) throws(StorageError) -> Bool
}

/// A matcher of a function that is defined for texts and URLs alone. It is false of other values.
public protocol TextFunctionMatcher: FunctionMatcher {}

extension TextFunctionMatcher {
  public func matches(_ value: Value) throws(StorageError) -> Bool {
    switch value {
    case .string(let text): try text.withBytes { bytes throws(StorageError) in try matches(text: bytes) }
    case .url(let url): try url.absoluteString.withBytes { bytes throws(StorageError) in try matches(text: bytes) }
    default: false
    }
  }
}

/// A matcher of a function that is defined for values with parts alone. It is false of texts.
public protocol TreeFunctionMatcher: FunctionMatcher {}

extension TreeFunctionMatcher {
  public func matches(text: UnsafeRawBufferPointer) throws(StorageError) -> Bool { false }
}

/// The value as another type, when that is the type it has; nil otherwise.
///
/// Where both types are known the compiler folds this away. Where they are not it costs a comparison, a tenth of a
/// dynamic cast: the standard library's collections encode and decode their elements from unspecialised code.
@inline(__always)
func sameType<T, U>(_ value: T, as type: U.Type) -> U? {
  // T and U are the same type here, so the bits of one are the bits of the other.
  T.self == U.self ? unsafeBitCast(value, to: U.self) : nil
}

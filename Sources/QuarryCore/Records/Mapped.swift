/// A type of the program that is stored as another type.
///
/// Examples are an object of a user interface, a struct that a service sends, or a reference type with a struct for its stored
/// form.
public protocol Mapped {
  /// The model that is stored.
  associatedtype Stored: Model

  /// Creates the value from its stored form.
  ///
  /// - Parameter stored: An object of the store.
  /// - Throws: Any error, which the call that reads the value throws.
  init(stored: Stored) throws
  /// The stored form of the value.
  ///
  /// - Throws: Any error, which the call that writes the value throws; nothing is stored then.
  func stored() throws -> Stored
}

/// A type of the program that is stored as another type.
///
/// Examples are an object of a user interface, a struct that a service sends, or a reference type with a struct for its stored
/// form.
public protocol Mapped {
  /// The model that is stored.
  associatedtype Stored: Model

  /// Creates the value from its stored form.
  init(stored: Stored) throws
  /// The stored form of the value.
  func stored() throws -> Stored
}

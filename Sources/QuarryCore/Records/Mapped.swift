/// A type of the program that is stored as another: an object of a user interface, a struct that a service sends, a
/// reference type beside its stored struct.
public protocol Mapped {
  /// The model that is stored.
  associatedtype Stored: Model

  /// Makes the value from what is stored.
  init(stored: Stored) throws
  /// What is stored of the value.
  func stored() throws -> Stored
}

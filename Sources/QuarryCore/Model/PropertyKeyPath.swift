/// The key path of a stored property, to be recognised again.
struct PropertyKeyPath<M>: @unchecked Sendable, Equatable {
  // Unchecked because a key path to a property isolated to an actor is not Sendable: reading through it would need the
  // actor. Here it is compared and never read through; a key path is immutable, and one to a stored property captures
  // nothing.
  private let keyPath: PartialKeyPath<M>

  init(_ keyPath: PartialKeyPath<M>) {
    self.keyPath = keyPath
  }

  func matches(_ other: PartialKeyPath<M>) -> Bool {
    keyPath == other
  }
}

extension [UInt8] {
  /// Bytes of the system's secure generator, for what must not be guessed or met twice: identities and salts of stores.
  package static func random(count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}

import QuarryBackend

/// Objects of one property that a migration cannot bring to what the program has: the keys of the first ten.
struct ObjectFailures {
  static let told = 10

  let model: String
  let property: String
  private(set) var count = 0
  private(set) var keys: [String] = []
  private(set) var first: StorageError?

  init(model: String, property: String) {
    self.model = model
    self.property = property
  }

  var isFull: Bool { count >= Self.told }

  mutating func add(_ error: StorageError, key: String?) {
    count += 1
    if first == nil { first = error }
    if let key, keys.count < Self.told { keys.append(key) }
  }

  /// The error that lists all of them.
  ///
  /// - Parameter isCounted: Whether all rows were checked.
  func error(isCounted: Bool) -> StorageError? {
    guard let first else { return nil }
    let many = isCounted ? "\(count)" : "at least \(count)"
    let objects = count == 1 && isCounted ? "1 object" : "\(many) objects"
    return StorageError(
      first.code,
      "\(objects) cannot be migrated, those with the keys \(keys.joined(separator: ", ")): \(first.message)",
      model: model, property: property, key: keys.first, cause: first.cause ?? first)
  }
}

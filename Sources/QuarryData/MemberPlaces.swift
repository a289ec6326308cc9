import QuarryBackend

/// Finds the column of a member by its name, at the cost of one comparison where objects have the same order.
struct MemberPlaces {
  private var names: [String]
  private var places: [ByteString: Int] = [:]

  init(_ names: [String]) {
    self.names = names
    for (place, name) in names.enumerated() { places[ByteString(name)] = place }
  }

  mutating func add(_ name: String) -> Int {
    names.append(name)
    places[ByteString(name)] = names.count - 1
    return names.count - 1
  }

  /// - Parameter expected: The place where it is if this object is like the others.
  func place(of name: String, expected: Int) -> Int? {
    if expected < names.count, names[expected].utf8.elementsEqual(name.utf8) { return expected }
    return places[ByteString(name)]
  }
}

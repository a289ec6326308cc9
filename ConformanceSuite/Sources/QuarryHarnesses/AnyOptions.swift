import QuarryBackend

/// Values of an option that is a number, which no sensible program gives.
enum AnyOptions {
  static let numbers = [Int.min, Int.min + 1, -1, 0, 1, 1 << 31, 1 << 62, Int.max - 1, Int.max]

  /// A place for each option and value.
  static func places<Place: BackendProvider>(
    _ options: [(name: String, set: (inout Place, Int) -> Void)], _ make: () throws -> any BackendProvider
  ) throws -> [(name: String, place: any BackendProvider)] {
    try options.flatMap { option in
      try numbers.compactMap { number in
        guard var place = try make() as? Place else { return nil }
        option.set(&place, number)
        return ("\(option.name) \(number)", place)
      }
    }
  }
}

import QuarryBackend

/// Memory for the last values that were lent, which the next ones overwrite: what an engine does that frees too early.
final class ValueRing {
  private static let count = 256
  private var places: [UnsafeMutableRawBufferPointer] = []
  private var next = 0

  deinit { for place in places { place.deallocate() } }

  /// Lends a copy of a value, in the place of the one that was lent longest ago.
  func lend(_ value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    if places.isEmpty {
      places = (0..<Self.count).map { _ in .allocate(byteCount: 4_096, alignment: 8) }
    }
    let place = places[next]
    guard value.count <= place.count else { return value }
    next = (next + 1) % Self.count
    place.copyBytes(from: value)
    return UnsafeRawBufferPointer(rebasing: place[..<value.count])
  }
}

/// What a store is among its replicas.
public enum SyncRole: String, Sendable, Hashable, CaseIterable {
  /// It merges as every other replica does.
  case peer
  /// It takes each entry of its clients whole, or refuses it.
  case hub
  /// It has a hub, and exchanges changes with that alone.
  case client

  /// The byte in a hello and in the stored state.
  var byte: UInt8 {
    switch self {
    case .peer: 0
    case .hub: 1
    case .client: 2
    }
  }

  init?(byte: UInt8) {
    guard let role = Self.allCases.first(where: { $0.byte == byte }) else { return nil }
    self = role
  }
}

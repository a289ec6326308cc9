/// How a backend offers a capability.
public enum CapabilitySupport: Sendable, Hashable, Codable {
  /// By the engine itself.
  case native
  /// By Quarry's common code over the engine: the same meaning, at a cost.
  case emulated
  /// Not at all, and why.
  case unsupported(reason: String)

  /// Whether it is offered, in whichever way.
  public var isSupported: Bool {
    if case .unsupported = self { return false }
    return true
  }
}

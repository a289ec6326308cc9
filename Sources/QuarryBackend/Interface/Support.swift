/// How a backend offers a capability.
public enum Support: Sendable, Hashable, Codable {
  /// By the engine itself.
  case native
  /// By Quarry's common code over the engine: the same meaning, at a cost.
  case emulated
  case unsupported(reason: String)

  public var isSupported: Bool {
    if case .unsupported = self { return false }
    return true
  }
}

public import Foundation

extension UUID {
  /// The UUID of zeros, which an object without a key has where the keys are generated: `@Attribute(.generated)`.
  public static var missing: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}

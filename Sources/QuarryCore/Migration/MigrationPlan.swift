/// The models of one version of a program.
///
/// ```swift
/// enum LibraryV1: VersionedSchema {
///   static let version = 1
///   static let models: [any Model.Type] = [Book.self]
///   @Model struct Book { let id: Int; var title: String }
/// }
/// ```
public protocol VersionedSchema: SendableMetatype {
  /// The number of the version: 1 or more, greater than the numbers of the versions before.
  static var version: Int { get }
  /// The models that the program has in this version.
  static var models: [any Model.Type] { get }
}

/// All versions of a program's models, and the stage from each to the next.
///
/// A store enters at its own version. If it has none yet, it enters at the version whose schema it matches.
public protocol MigrationPlan: SendableMetatype {
  /// The versions, in any order.
  static var schemas: [any VersionedSchema.Type] { get }
  /// One stage for each version but the last.
  static var stages: [MigrationStage] { get }
}

/// A step of a plan from one version to the next.
public struct MigrationStage: Sendable {
  let from: any VersionedSchema.Type
  let to: any VersionedSchema.Type
  let drops: [String]
  let body: (@Sendable (MigrationContext) throws -> Void)?

  /// A stage that needs only the automatic rules.
  ///
  /// - Parameters:
  ///   - from: The version that the stage begins with.
  ///   - to: The version that it ends with.
  ///   - dropping: The properties and models that may be dropped: `Book.subtitle`, `Draft`.
  public static func lightweight(
    from: any VersionedSchema.Type, to: any VersionedSchema.Type, dropping: String...
  ) -> MigrationStage {
    MigrationStage(from: from, to: to, drops: dropping, body: nil)
  }

  /// A stage with a body, which requests the changes that the automatic rules cannot infer.
  ///
  /// - Parameters:
  ///   - from: The version that the stage begins with.
  ///   - to: The version that it ends with.
  ///   - dropping: The properties and models that may be dropped: `Book.subtitle`, `Draft`.
  ///   - body: Requests the changes. Its error ends the migration, and the store stays as it was.
  public static func custom(
    from: any VersionedSchema.Type, to: any VersionedSchema.Type, dropping: String...,
    body: @escaping @Sendable (MigrationContext) throws -> Void
  ) -> MigrationStage {
    MigrationStage(from: from, to: to, drops: dropping, body: body)
  }
}

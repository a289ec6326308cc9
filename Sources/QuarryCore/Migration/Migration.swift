public import Foundation

/// The way in which opening a store changes its models to the program's models.
///
/// Changes that lose nothing are applied automatically: see ``automatic``. A migration requests all others.
///
/// ```swift
/// let store = try Store(for: Book.self, in: place, migration: .to(3) { m in
///   if m.storedVersion < 2 { try m.rename("title", to: "name", in: "Book") }
///   if m.storedVersion < 3 {
///     try m.enumerate("Book") { old, new in new["fullName"] = "\(old["first"]) \(old["last"])" }
///   }
/// })
/// ```
///
/// A migration is one write transaction: it ends with the program's models, or with an error and the store as it was.
public struct Migration: Sendable {
  /// The version that the store has afterwards; nil to leave it as it is.
  var version: Int?
  /// The properties and models that may be dropped: `Book.subtitle`, `Draft`.
  var drops: [String] = []
  var body: (@Sendable (MigrationContext) throws -> Void)?
  var progress: Progress?
  /// Whether the body is called whatever version the store has.
  var isExplicit = false
  /// The treatment of a store that the rules cannot migrate to the program's models; nil where it is refused.
  var keeping: Keeping?

  private init(version: Int? = nil) {
    self.version = version
  }

  /// The changes that need no request.
  ///
  /// Models, optional properties and properties with a default are added. Indexes are added, dropped and renamed. Properties and
  /// models that have an `originalName` are renamed. Required properties become optional. Numbers change to a type that holds all
  /// values of the old one (`Int32` to `Int64`, `Float` to `Double`, an integer to `Decimal`).
  public static let automatic = Migration()

  /// Migrates to a version of the program's models.
  ///
  /// The body is called where the store has a lower version, and requests the changes that the automatic rules cannot infer. A
  /// new store begins with the version, and its body is not called.
  ///
  /// - Parameters:
  ///   - version: 1 or more. A store with a greater version is refused as `schemaTooNew`.
  ///   - body: Called once, before anything is changed. Its error ends the migration, and the store stays as it was.
  public static func to(
    _ version: Int, _ body: (@Sendable (MigrationContext) throws -> Void)? = nil
  ) -> Migration {
    var migration = Migration(version: version)
    migration.body = body
    return migration
  }

  /// A migration that is requested explicitly and once: the body is called whatever version the store has. The store keeps its
  /// version unless another is given.
  ///
  /// - Parameter version: Not less than the version of the store.
  package static func asked(
    to version: Int? = nil, _ body: @escaping @Sendable (MigrationContext) throws -> Void
  ) -> Migration {
    var migration = Migration(version: version)
    migration.body = body
    migration.isExplicit = true
    return migration
  }

  /// The automatic rules, which may also drop the given properties and models that the program no longer has.
  ///
  /// - Parameter names: `Book.subtitle` for a property, `Draft` for a model. Names that are not stored are ignored.
  public static func dropping(_ names: String...) -> Migration {
    var migration = Migration()
    migration.drops = names
    return migration
  }

  /// The treatment of a store that a new one replaces.
  public enum Keeping: Sendable, Hashable {
    /// Its files get another name next to their place, with the time. Nothing of it is lost.
    case quarantine
  }

  /// The automatic rules; a store that they refuse is put aside and replaced by a new one.
  ///
  /// It suits programs that can fill their store again.
  ///
  /// ```swift
  /// let store = try Store(for: Page.self, in: place, migration: .startOver(keeping: .quarantine))
  /// if let old = store.openingReport.quarantine { log("the pages of before are in \(old)") }
  /// ```
  ///
  /// The store is replaced only where opening would throw `schemaMismatch`. A newer format or version, a wrong key, damage, and a
  /// store that is in use or busy remain errors. They leave the store as it was, so none of them loses data. A store that is open
  /// elsewhere is `inUse`, after the busy timeout of the options. For a program whose models have a version, see
  /// ``startingOver(keeping:)``.
  ///
  /// - Parameter keeping: The treatment of the old store.
  public static func startOver(keeping: Keeping) -> Migration { automatic.startingOver(keeping: keeping) }

  /// The same migration; a store that it cannot migrate to the program's models is put aside and replaced by a new one.
  ///
  /// The new store begins with the migration's version.
  ///
  /// ```swift
  /// let store = try Store(for: Page.self, in: place, migration: .to(3).startingOver(keeping: .quarantine))
  /// ```
  ///
  /// The changes that the rules, the body and the drops can make are made. Otherwise, where opening would throw `schemaMismatch`,
  /// the store is replaced as by ``startOver(keeping:)``.
  ///
  /// - Parameter keeping: The treatment of the old store.
  public func startingOver(keeping: Keeping) -> Migration {
    var migration = self
    migration.keeping = keeping
    return migration
  }

  /// The same migration, which may also drop these properties and models.
  ///
  /// - Parameter names: `Book.subtitle` for a property, `Draft` for a model. Names that are not stored are ignored.
  public func dropping(_ names: String...) -> Migration {
    var migration = self
    migration.drops += names
    return migration
  }

  /// The same migration, which reports the progress of the rows that it has read.
  ///
  /// When the progress is cancelled, the migration ends with `CancellationError` and the store as it was.
  ///
  /// - Parameter progress: Counts rows, and ends the migration when it is cancelled.
  public func reporting(to progress: Progress) -> Migration {
    var migration = self
    migration.progress = progress
    return migration
  }
}

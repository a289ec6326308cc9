public import Foundation

/// How a store is brought to the program's models when it is opened and has others.
///
/// What loses nothing is done without being asked: see ``automatic``. Everything else is said here.
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
  /// What may be dropped: `Book.subtitle`, `Draft`.
  var drops: [String] = []
  var body: (@Sendable (MigrationContext) throws -> Void)?
  var progress: Progress?
  /// Whether the body is called whatever version the store has.
  var isAsked = false
  /// What becomes of a store that the rules cannot bring to the program's models; nil where it is refused.
  var keeping: Keeping?

  private init(version: Int? = nil) {
    self.version = version
  }

  /// What is done without being asked: models, optional properties and properties with a default are added; indexes are
  /// added, dropped and renamed; properties and models are renamed that have an `originalName`; what was required
  /// becomes optional; and numbers become of a type that holds all of the old one's values (`Int32` to `Int64`, `Float` to
  /// `Double`, an integer to `Decimal`).
  public static let automatic = Migration()

  /// To a version of the program's models: the body is called where the store has a lower one, and says what the
  /// automatic rules cannot know. A new store begins with the version, and its body is not called.
  ///
  /// - Parameters:
  ///   - version: 1 or more. A store with a greater one is refused as `schemaTooNew`.
  ///   - body: Is called once, before anything was changed.
  public static func to(
    _ version: Int, _ body: (@Sendable (MigrationContext) throws -> Void)? = nil
  ) -> Migration {
    var migration = Migration(version: version)
    migration.body = body
    return migration
  }

  /// A migration that somebody asks for once: the body is called whatever version the store has, which it keeps unless
  /// another is given.
  ///
  /// - Parameter version: Not less than that of the store.
  package static func asked(
    to version: Int? = nil, _ body: @escaping @Sendable (MigrationContext) throws -> Void
  ) -> Migration {
    var migration = Migration(version: version)
    migration.body = body
    migration.isAsked = true
    return migration
  }

  /// The automatic rules, which may drop these properties and models where the program has them no longer.
  ///
  /// - Parameter names: `Book.subtitle` for a property, `Draft` for a model. What is not stored is left out.
  public static func dropping(_ names: String...) -> Migration {
    var migration = Migration()
    migration.drops = names
    return migration
  }

  /// What becomes of a store in whose place a new one is made.
  public enum Keeping: Sendable, Hashable {
    /// Its files get another name beside their place, with the time. Nothing of it is lost.
    case quarantine
  }

  /// The automatic rules; a store that they refuse is put aside, and a new one is made at its place, for programs whose
  /// store can be filled again.
  ///
  /// ```swift
  /// let store = try Store(for: Page.self, in: place, migration: .startOver(keeping: .quarantine))
  /// if let old = store.openingReport.quarantine { log("the pages of before are in \(old)") }
  /// ```
  ///
  /// This is done only where opening would be `schemaMismatch`. A newer format or version, a wrong key, damage, and a store
  /// that is in use or busy stay the errors that they are, with the store as it was: nobody who opens a store once loses
  /// it by that. One that anybody else has open is `inUse`, after the busy timeout of the options. Of a program whose models
  /// have a version, see ``startingOver(keeping:)``.
  public static func startOver(keeping: Keeping) -> Migration { automatic.startingOver(keeping: keeping) }

  /// The same migration; a store that it cannot bring to the program's models is put aside, and a new one is made at its
  /// place, which begins with the migration's version.
  ///
  /// ```swift
  /// let store = try Store(for: Page.self, in: place, migration: .to(3).startingOver(keeping: .quarantine))
  /// ```
  ///
  /// What the rules, the body and the drops can do is done. Else, where opening would be `schemaMismatch`, it is done as by
  /// ``startOver(keeping:)``.
  public func startingOver(keeping: Keeping) -> Migration {
    var migration = self
    migration.keeping = keeping
    return migration
  }

  /// The same migration, which may also drop these properties and models.
  public func dropping(_ names: String...) -> Migration {
    var migration = self
    migration.drops += names
    return migration
  }

  /// The same migration, which tells the progress of the rows that it has read, and ends with `CancellationError` and the
  /// store as it was when the progress is cancelled.
  public func reporting(to progress: Progress) -> Migration {
    var migration = self
    migration.progress = progress
    return migration
  }
}

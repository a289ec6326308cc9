public import QuarryBackend
import Synchronization

/// The place of a store and its opening options, as a value to pass around.
public struct StoreConfiguration: Sendable {
  /// The engine, and the place of the store.
  public var provider: any BackendProvider
  /// The options for opening it.
  public var options: OpenOptions
  /// How a store of other models is brought to the program's models.
  public var migration: Migration

  /// A place, its opening options and its migration.
  ///
  /// - Parameters:
  ///   - provider: The engine, and the place of the store.
  ///   - options: The options for opening it.
  ///   - migration: How a store of other models is brought to the program's models.
  public init(
    _ provider: any BackendProvider, options: OpenOptions = OpenOptions(), migration: Migration = .automatic
  ) {
    self.provider = provider
    self.options = options
    self.migration = migration
  }

  private static let shared = Mutex<StoreConfiguration?>(nil)

  /// The configuration for stores that are opened without a place of their own. Nil until the program sets it.
  public static var `default`: StoreConfiguration? {
    get { shared.withLock { $0 } }
    set { shared.withLock { $0 = newValue } }
  }
}

extension Store {
  /// Opens a store for some models with the default configuration.
  ///
  /// - Parameter models: The models of the program.
  /// - Throws: `notFound` when no default configuration was set; as ``Store/init(for:in:options:encryption:)``.
  public convenience init(for models: any Model.Type...) throws {
    guard let configuration = StoreConfiguration.default else {
      throw StorageError(.notFound, "StoreConfiguration.default was not set")
    }
    try self.init(models: models, configuration: configuration)
  }

  /// Opens a store for some models with a configuration.
  ///
  /// - Parameters:
  ///   - models: The models of the program.
  ///   - configuration: The place of the store, its opening options and its migration.
  /// - Throws: As ``Store/init(for:in:options:encryption:migration:)``.
  public convenience init(for models: any Model.Type..., configuration: StoreConfiguration) throws {
    try self.init(models: models, configuration: configuration)
  }

  /// Opens a store for the models of an array with a configuration.
  ///
  /// - Throws: As ``Store/init(for:in:options:encryption:migration:)``.
  public convenience init(models: [any Model.Type], configuration: StoreConfiguration) throws {
    try self.init(
      models: models, in: configuration.provider, options: configuration.options, migration: configuration.migration)
  }
}

public import QuarryBackend
import Synchronization

/// The place of a store and its opening options, as a value to pass around.
public struct StoreConfiguration: Sendable {
  /// The engine, and the place of the store.
  public var provider: any BackendProvider
  /// The options for opening it.
  public var options: OpenOptions

  /// A place and its opening options.
  public init(_ provider: any BackendProvider, options: OpenOptions = OpenOptions()) {
    self.provider = provider
    self.options = options
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
  /// - Throws: `notFound` when no default configuration was set; as ``Store/init(for:in:options:encryption:)``.
  public convenience init(for models: any Model.Type...) throws {
    guard let configuration = StoreConfiguration.default else {
      throw StorageError(.notFound, "StoreConfiguration.default was not set")
    }
    try self.init(models: models, in: configuration.provider, options: configuration.options)
  }

  /// Opens a store for some models with a configuration.
  public convenience init(for models: any Model.Type..., configuration: StoreConfiguration) throws {
    try self.init(models: models, in: configuration.provider, options: configuration.options)
  }
}

public import QuarryBackend
import Synchronization

/// Where a store is and how it is opened, as a value to hand around.
public struct StoreConfiguration: Sendable {
  /// The engine, and where the store is.
  public var provider: any BackendProvider
  /// How it is opened.
  public var options: OpenOptions

  /// A place and how it is opened.
  public init(_ provider: any BackendProvider, options: OpenOptions = OpenOptions()) {
    self.provider = provider
    self.options = options
  }

  private static let shared = Mutex<StoreConfiguration?>(nil)

  /// What stores are opened with that name no place of their own. Nil until the program sets it.
  public static var `default`: StoreConfiguration? {
    get { shared.withLock { $0 } }
    set { shared.withLock { $0 = newValue } }
  }
}

extension Store {
  /// Opens a store for some models with the default configuration.
  ///
  /// - Throws: `notFound` when no default configuration was set; as ``init(for:in:options:)``.
  public convenience init(for models: any Model.Type...) throws(StorageError) {
    guard let configuration = StoreConfiguration.default else {
      throw StorageError(.notFound, "StoreConfiguration.default was not set")
    }
    try self.init(models: models, in: configuration.provider, options: configuration.options)
  }

  /// Opens a store for some models with a configuration.
  public convenience init(for models: any Model.Type..., configuration: StoreConfiguration) throws(StorageError) {
    try self.init(models: models, in: configuration.provider, options: configuration.options)
  }
}

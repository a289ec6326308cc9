#if canImport(SwiftUI)
  public import QuarryCore
  public import SwiftUI

  /// Where the environment of views holds the store.
  private enum QuarryStoreKey: EnvironmentKey {
    static var defaultValue: Store? { nil }
  }

  extension EnvironmentValues {
    /// The store that ``StoreQuery`` reads; nil when no view above has one.
    public var quarryStore: Store? {
      get { self[QuarryStoreKey.self] }
      set { self[QuarryStoreKey.self] = newValue }
    }
  }

  extension View {
    /// Gives the view and what it contains a store for ``StoreQuery``.
    ///
    /// - Parameter store: An open store; nil takes the store away again, as for a preview of the empty state.
    public func quarryStore(_ store: Store?) -> some View {
      environment(\.quarryStore, store)
    }
  }
#endif

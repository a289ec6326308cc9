package import QuarryBackend
import Synchronization

/// The codes of errors that cases have expected and met since the last run began.
///
/// One set for the process: cases meet errors on threads of their own. Of two runs at once each may show the other's.
package enum ProvokedErrors {
  private static let codes = Mutex<Set<StorageError.Code>>([])

  static func begin() {
    codes.withLock { $0 = [] }
  }

  package static func note(_ code: StorageError.Code) {
    codes.withLock { _ = $0.insert(code) }
  }

  static var all: Set<StorageError.Code> { codes.withLock { $0 } }
}

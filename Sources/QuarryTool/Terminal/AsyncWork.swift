#if HTTP
  import Foundation
  import Synchronization

  /// Asynchronous work in a command, which waits for its end.
  enum AsyncWork {
    static func wait<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) throws -> R {
      let ended = DispatchSemaphore(value: 0)
      let result = Mutex<Result<R, any Error>?>(nil)
      Task {
        let outcome: Result<R, any Error>
        do {
          outcome = .success(try await body())
        } catch {
          outcome = .failure(error)
        }
        result.withLock { $0 = outcome }
        ended.signal()
      }
      ended.wait()
      guard let outcome = result.withLock({ $0 }) else { throw CancellationError() }
      return try outcome.get()
    }
  }
#endif

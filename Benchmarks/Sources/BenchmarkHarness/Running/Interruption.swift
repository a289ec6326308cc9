import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// The wish of who pressed Ctrl-C: the first time to stop after the current piece of work and keep the report so far,
/// the second time to stop at once. Temporary stores are removed either way.
public final class Interruption: Sendable {
  private let count = Atomic(0)

  public init() {}

  public var isRequested: Bool { count.load(ordering: .relaxed) > 0 }

  public func request() {
    count.wrappingAdd(1, ordering: .relaxed)
  }

  /// Listens to SIGINT and SIGTERM until the process ends.
  ///
  /// - Parameter folder: What is removed before a stop at once.
  public func listen(removing folder: String) {
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [self] in
        // A source stops listening when nothing refers to it: its handler does.
        _ = source
        if isRequested {
          LineProcess.endAll()
          try? FileManager.default.removeItem(atPath: folder)
          _exit(130)
        }
        request()
        FileHandle.standardError.write(
          Data("\nstopping after this piece of work; once more to stop at once without a report\n".utf8))
      }
      source.resume()
    }
  }
}

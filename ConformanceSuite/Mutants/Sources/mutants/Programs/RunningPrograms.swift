import Dispatch
import Foundation
import Synchronization

/// The programs that are running, which end when the run is interrupted.
final class RunningPrograms: Sendable {
  static let shared = RunningPrograms()

  /// What the programs leave behind is in here, and goes with them.
  ///
  /// In memory where the system has such a folder: code is tried and not a disk, and the many syncs of durable stores would
  /// take most of the time.
  static let folder: URL = {
    let memory = URL(fileURLWithPath: "/dev/shm")
    let isThere = FileManager.default.isWritableFile(atPath: memory.path)
    return (isThere ? memory : FileManager.default.temporaryDirectory).appending(path: "quarry-mutants-\(getpid())")
  }()

  private let groups = Mutex<Set<pid_t>>([])
  private let lastWords = Mutex<(@Sendable () -> Void)?>(nil)

  /// What is said when the run is interrupted.
  func atInterruption(_ say: @escaping @Sendable () -> Void) { lastWords.withLock { $0 = say } }

  func insert(_ group: pid_t) { groups.withLock { _ = $0.insert(group) } }
  func remove(_ group: pid_t) { groups.withLock { _ = $0.remove(group) } }

  /// Ends all programs, and then this one, when it is told to end. What was found until then has been kept.
  func endOnSignals() -> [any DispatchSourceSignal] {
    [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        self.groups.withLock { groups in
          // A build ends its own compilers when it is asked, and they are in groups of their own.
          for group in groups { _ = kill(-group, SIGINT) }
          sleep(3)
          for group in groups { _ = kill(-group, SIGKILL) }
        }
        try? FileManager.default.removeItem(at: Self.folder)
        self.lastWords.withLock { $0 }?()
        let words = "interrupted: what was found is kept; the same command goes on, --report writes it down\n"
        FileHandle.standardError.write(Data(words.utf8))
        exit(130)
      }
      source.resume()
      return source
    }
  }
}

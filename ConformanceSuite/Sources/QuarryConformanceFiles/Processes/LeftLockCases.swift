import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// A lock on a store's files that no store holds: no error names a process that has the store open.
enum LeftLockCases {
  /// Locks files as a program does that copies them, for a moment, and does something meanwhile.
  private static func withLocks(_ paths: [String], _ body: () throws -> Void) throws {
    let descriptors = paths.map { open($0, O_RDWR | O_CLOEXEC) }
    for (path, descriptor) in zip(paths, descriptors) {
      try expect(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0, "\(path) cannot be locked")
    }
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      usleep(80_000)
      for descriptor in descriptors { close(descriptor) }
      ended.signal()
    }
    defer { ended.wait() }
    try body()
  }

  private static func expectNobody(_ kit: ConformanceContext, _ place: any BackendProvider) throws {
    try withLocks(kit.files(at: place)) {
      do {
        let store = try kit.open([Item.self], at: place)
        try store.close()
      } catch let error as StorageError where [.inUse, .busy].contains(error.code) {
        ProvokedErrors.note(error.code)
        try expectEqual(error.processID, nil, "the process that has it open: \(error)")
      }
    }
    let store = try kit.open([Item.self], at: place)
    try expectEqual(try store.keys(Item.all), [1])
    try store.close()
  }

  static let all: [ConformanceCase] = [
    .processes(
      "MP.closed-names-nobody", ["MP-2"], "No error names a process that has closed the store."
    ) { kit in
      let place = try kit.makePlace()
      let child = try kit.secondProcess(at: place, "open item", "insert 1", "close")
      try expectNobody(kit, place)
      try child.finish()
    }.ofFiles(),
    .processes(
      "MP.killed-names-nobody", ["MP-2", "MP-3"],
      "No error names a process that was killed."
    ) { kit in
      let place = try kit.makePlace()
      let child = try kit.secondProcess(at: place, "open item", "insert 1")
      child.kill()
      try expectNobody(kit, place)
    }.ofFiles(),
  ]
}

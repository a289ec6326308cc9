import Foundation
import QuarryBackend
import QuarryCore

/// Commands after which the operating system refuses this process something, as it would on a full disk.
extension ChildInterpreter {
  static let refusals: [String: Command] = [
    // limit-files BYTES: no file may grow beyond them.
    "limit-files": { _, words in
      try limit(fileSize, to: rlim_t(try number(words, 0)))
      return "limited"
    },
    "unlimit-files": { _, _ in
      try limit(fileSize, to: nil)
      return "unlimited"
    },
    // limit-descriptors: no file can be opened any more.
    "limit-descriptors": { _, _ in
      try limit(descriptors, to: 3)
      return "limited"
    },
    "unlimit-descriptors": { _, _ in
      try limit(descriptors, to: nil)
      return "unlimited"
    },
    // open-many COUNT: opens as many stores beside the place, with an object in each, and says how many of them have it then.
    "open-many": { child, words in
      try limit(descriptors, to: nil)
      let address = try unwrap(child.address, "the address of the place")
      var stores: [Store] = []
      for index in 0..<(try number(words, 0)) {
        let store = try Store(models: [Item.self], in: child.process.place("\(address).many\(index)"))
        try store.insert(Item(index))
        stores.append(store)
      }
      // What is left is enough for a program.
      let bytes = 1 << 30
      let room = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0)
      guard let room, room != MAP_FAILED else { return "no memory beside \(stores.count) stores" }
      munmap(room, bytes)
      let whole = try stores.enumerated().filter { try $1.get(Item.self, $0) != nil }.count
      for store in stores { try store.close() }
      return "\(whole)"
    },
    // fill BYTES: inserts notes of so many bytes until one is refused. Says how many there are, and the code.
    "fill": { child, words in
      let (store, bytes) = (try child.store(), try number(words, 0))
      var count = try store.count(Note.all)
      while true {
        do {
          try store.insert(Note(filling: count, byteCount: bytes))
          count += 1
        } catch let error as StorageError {
          return "\(count) \(error.code)"
        }
      }
    },
    // fill-more BYTES NUMBER: as many notes at once.
    "fill-more": { child, words in
      let (store, bytes, more) = (try child.store(), try number(words, 0), try number(words, 1))
      let count = try store.count(Note.all)
      try store.insert(contentsOf: (count..<count + more).map { Note(filling: $0, byteCount: bytes) })
      return "\(try store.count(Note.all))"
    },
    // verify-filling BYTES: that the notes are all there, and no others.
    "verify-filling": { child, words in
      let (store, bytes) = (try child.store(), try number(words, 0))
      let count = try store.count(Note.all)
      try expectEqual(Set(try store.keys(Note.all)), Set((0..<count).map { "filling \($0)" }), "the notes")
      try expect(try store.fetch(Note.all).allSatisfy { $0.bytes.count == bytes }, "a note has other bytes")
      return "\(count)"
    },
  ]

  #if canImport(Glibc)
    private typealias Resource = __rlimit_resource_t
    private static let fileSize = Resource(RLIMIT_FSIZE.rawValue)
    private static let descriptors = Resource(RLIMIT_NOFILE.rawValue)
  #else
    private typealias Resource = Int32
    private static let fileSize = RLIMIT_FSIZE
    private static let descriptors = RLIMIT_NOFILE
  #endif

  /// Sets a limit of this process; nil for the highest that it may have.
  private static func limit(_ resource: Resource, to value: rlim_t?) throws {
    var limit = rlimit()
    getrlimit(resource, &limit)
    limit.rlim_cur = value ?? limit.rlim_max
    guard setrlimit(resource, &limit) == 0 else { throw StorageError(.io, "the limit cannot be set: \(errno)") }
  }
}

import CLMDB
package import QuarryBackend
import QuarryKeyValue
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension LMDBEngine {
  /// Overwrites the bytes in the file, wherever they are: in free pages, and in the unused middle of others, where LMDB leaves
  /// what was in the memory that it took for the page.
  ///
  /// - Complexity: The file is read once, while other writers wait.
  package func overwriteOldValues(
    beginningWith beginning: [UInt8], byteCount: Int, timeout: Double, where isOld: ([UInt8]) -> Bool
  ) throws(StorageError) {
    try requireOpen()
    try requireWritable()
    let environment = try enter(timeout)
    defer { environment.letGo() }
    defer { environment.gate.leave() }
    // The meta page of the state before names pages with the old values: this commit takes its place, and both of the meta
    // pages are on the disk before anything is overwritten. Where the disk refuses the commit, the values are overwritten all the
    // same: the newest state, which has none of them, is on the disk.
    do throws(StorageError) { try environment.rewriteMarker() } catch {
      guard error.code == .io || error.code == .full else { throw error }
    }
    guard mdb_env_sync(environment.environment, 1) == MDB_SUCCESS else {
      throw environment.writeFailure(EIO, "\(environment.file.path) cannot be synced to the disk")
    }
    // Programs that know LMDB's own lock alone write nothing meanwhile either. After a refused meta page, LMDB lets nobody of this
    // process write.
    let held = try? environment.beginWrite().transaction
    defer {
      if let held {
        mdb_txn_abort(held)
        environment.release()
      }
    }
    var descriptor: Int32 = -1
    mdb_env_get_fd(environment.environment, &descriptor)
    let old = LMDBOldValues(beginning: beginning, byteCount: byteCount, descriptor, environment)
    try old.overwrite(where: isOld)
  }
}

extension LMDBEnvironment {
  /// Commits the marker as it is: a state like the one before. Only after entering the gate.
  fileprivate func rewriteMarker() throws(StorageError) {
    let (transaction, _) = try beginWrite()
    defer { release() }
    var (key, value) = (LMDBMarker.key, LMDBMarker.value(options.format))
    let result = key.withUnsafeMutableBytes { key in
      value.withUnsafeMutableBytes { value in
        var keyValue = MDB_val(mv_size: key.count, mv_data: key.baseAddress)
        var dataValue = MDB_val(mv_size: value.count, mv_data: value.baseAddress)
        return mdb_put(transaction, 1, &keyValue, &dataValue, 0)
      }
    }
    guard result == MDB_SUCCESS else {
      mdb_txn_abort(transaction)
      throw writeFailure(result, "the marker of \(file.path) cannot be written")
    }
    let committed = commit(transaction)
    if committed != MDB_SUCCESS { throw writeFailure(committed, "the marker of \(file.path) cannot be written") }
  }
}

/// Values of one length in a file that begin alike.
private struct LMDBOldValues {
  private let beginning: [UInt8]
  private let byteCount: Int
  private let descriptor: Int32
  private let environment: LMDBEnvironment
  private static let bytesAtOnce = 1 << 20

  init(beginning: [UInt8], byteCount: Int, _ descriptor: Int32, _ environment: LMDBEnvironment) {
    self.beginning = beginning
    self.byteCount = byteCount
    self.descriptor = descriptor
    self.environment = environment
  }

  private func failure(_ what: String) -> StorageError {
    StorageError(systemError: errno, "\(environment.file.dataPath) cannot be \(what)")
  }

  func overwrite(where isOld: ([UInt8]) -> Bool) throws(StorageError) {
    guard !beginning.isEmpty, byteCount >= beginning.count else { return }
    var window = [UInt8](repeating: 0, count: Self.bytesAtOnce + byteCount)
    // The two meta pages have no values.
    var offset = 2 * environment.pageSize
    var hasChanged = false
    while true {
      let count = try read(into: &window, at: offset)
      guard count >= byteCount else { break }
      var place = 0
      while let found = find(in: window, from: place, to: count) {
        // A value that is cut off at the end of this window is whole in the next one.
        guard found + byteCount <= count else { break }
        if isOld(Array(window[found..<found + byteCount])) {
          try clear(at: offset + found)
          hasChanged = true
        }
        place = found + 1
      }
      guard count == window.count else { break }
      offset += Self.bytesAtOnce
    }
    while hasChanged, fdatasync(descriptor) != 0 {
      if errno != EINTR { throw failure("brought to the disk") }
    }
  }

  /// - Returns: The bytes that were read, fewer than there is room for at the end of the file only.
  private func read(into window: inout [UInt8], at offset: Int) throws(StorageError) -> Int {
    var done = 0
    while done < window.count {
      let start = done
      let count = window.withUnsafeMutableBytes { bytes in
        pread(descriptor, bytes.baseAddress.map { $0 + start }, bytes.count - start, off_t(offset + start))
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure("read") }
      if count == 0 { break }
      done += count
    }
    return done
  }

  private func find(in window: [UInt8], from start: Int, to end: Int) -> Int? {
    window.withUnsafeBytes { bytes in
      beginning.withUnsafeBytes { sought in
        guard let base = bytes.baseAddress, let text = sought.baseAddress else { return nil }
        var place = start
        while place + sought.count <= end {
          guard let found = memchr(base + place, Int32(sought[0]), end - place) else { return nil }
          place = UnsafeRawPointer(found) - base
          if place + sought.count <= end, memcmp(base + place, text, sought.count) == 0 { return place }
          place += 1
        }
        return nil
      }
    }
  }

  private func clear(at offset: Int) throws(StorageError) {
    let zeros = [UInt8](repeating: 0, count: byteCount)
    var done = 0
    while done < byteCount {
      let start = done
      let count = zeros.withUnsafeBytes { bytes in
        pwrite(descriptor, bytes.baseAddress.map { $0 + start }, bytes.count - start, off_t(offset + start))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure("written") }
      done += count
    }
  }
}

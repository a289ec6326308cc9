import CLMDB
import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Reads pages of an LMDB file with ordinary reads, every offset checked.
///
/// So a file is known to be whole and a store of Quarry before LMDB maps it. A map of a file that is too short ends the process
/// at the first access beyond its end. Opening a foreign environment would change its lock file.
struct LMDBPages {
  /// Bytes of the smallest file that LMDB makes where pages have the size that they mostly have.
  private static let shortest = 2 * 4096

  private struct Node {
    var flags: UInt16
    var key: ArraySlice<UInt8>
    /// The page below, of a node of a branch.
    var page: UInt64
    var data: ArraySlice<UInt8>
    var dataCount: Int
  }

  private let file: LMDBFileReader
  private let meta: LMDBMeta
  private let size: Int

  /// The kind of the file.
  ///
  /// - Throws: `corrupt`, `schemaTooNew`, `io`.
  static func content(of descriptor: Int32, _ path: String) throws(StorageError) -> LMDBFile.Content {
    let file = LMDBFileReader(descriptor: descriptor, path: path)
    var attempts = 0
    while true {
      let size = try file.size()
      let found: (newest: LMDBMeta, other: LMDBMeta)?
      do throws(StorageError) {
        found = try LMDBMeta.read(file)
      } catch {
        // Another process may be writing the first pages, which the system can show one by one.
        attempts += 1
        guard size < shortest, attempts < 20 else { throw error }
        usleep(5_000)
        continue
      }
      guard let (meta, other) = found else { return .empty }
      let pages = LMDBPages(file: file, meta: meta, size: try file.size())
      do throws(StorageError) {
        let content = try pages.content()
        if case .empty = content { try pages.requireEmpty(other) }
        try pages.checkEnd()
        return content
      } catch {
        // A writer may have used the pages again meanwhile.
        attempts += 1
        guard attempts < 20, try LMDBMeta.read(file)?.newest != meta else { throw error }
      }
    }
  }

  private static func number<T: FixedWidthInteger>(_ bytes: some Collection<UInt8>, _ offset: Int, _: T.Type) -> T {
    let size = MemoryLayout<T>.size
    return bytes.dropFirst(offset).prefix(size).reversed().reduce(0) { $0 << 8 | T(truncatingIfNeeded: $1) }
  }

  private func page(_ number: UInt64, count: Int = 1) throws(StorageError) -> [UInt8] {
    guard number <= meta.lastPage, UInt64(count) <= meta.lastPage + 1 - number else {
      throw file.damaged("a reference to page \(number), of \(meta.lastPage + 1)")
    }
    let bytes = try file.bytes(count * meta.pageSize, at: Int(number) * meta.pageSize)
    guard bytes.count == count * meta.pageSize else { throw file.damaged("it ends before page \(number)") }
    return bytes
  }

  /// Calls the body with all nodes of the leaves below a page.
  private func visitLeaves(
    _ root: UInt64, depth: Int = 0, _ body: (Node) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard root != LMDBTreeRecord.noPage else { return }
    guard depth < 32 else { throw file.damaged("a tree is deeper than 32 pages") }
    let bytes = try page(root)
    let flags = Self.number(bytes, 10, UInt16.self)
    let isBranch = flags & 0x01 != 0
    guard isBranch != (flags & 0x02 != 0), Self.number(bytes, 0, UInt64.self) == root else {
      throw file.damaged("page \(root) is of the wrong kind")
    }
    let lower = Int(Self.number(bytes, 12, UInt16.self))
    guard lower >= 16, lower <= meta.pageSize else { throw file.damaged("page \(root) has a wrong size") }
    for index in 0..<(lower - 16) / 2 {
      let offset = Int(Self.number(bytes, 16 + index * 2, UInt16.self))
      guard offset >= lower, offset + 8 <= meta.pageSize else { throw file.damaged("page \(root) has a wrong node") }
      let low = Self.number(bytes, offset, UInt32.self)
      let nodeFlags = Self.number(bytes, offset + 4, UInt16.self)
      let keyEnd = offset + 8 + Int(Self.number(bytes, offset + 6, UInt16.self))
      guard keyEnd <= meta.pageSize else { throw file.damaged("page \(root) has a wrong key") }
      if isBranch {
        try visitLeaves(UInt64(low) | UInt64(nodeFlags) << 32, depth: depth + 1, body)
      } else {
        let held = nodeFlags & 0x01 != 0 ? 8 : Int(low)
        guard keyEnd + held <= meta.pageSize else { throw file.damaged("page \(root) has a wrong value") }
        try body(
          Node(
            flags: nodeFlags, key: bytes[offset + 8..<keyEnd], page: root, data: bytes[keyEnd..<keyEnd + held],
            dataCount: Int(low)))
      }
    }
  }

  /// Whether the main database has the marker of a store.
  private func content() throws(StorageError) -> LMDBFile.Content {
    var hasRecords = false
    var marker: [UInt8]?
    try visitLeaves(meta.main.root) { node throws(StorageError) in
      hasRecords = true
      if node.flags == 0, node.key.elementsEqual(LMDBMarker.key) { marker = Array(node.data) }
    }
    guard let marker else {
      if !hasRecords { return .empty }
      throw StorageError(.corrupt, "\(file.path) is an LMDB environment, but not a store of Quarry")
    }
    return .store(try LMDBMarker.format(marker, file.path))
  }

  /// Requires an empty tree and nothing else: a store is created in an empty environment.
  ///
  /// - Parameter other: The other meta page. Its content may have been removed by the newest commit, which is the next one then
  ///   and lists the pages that it freed. The state before any commit does not, whatever its number became.
  private func requireEmpty(_ other: LMDBMeta) throws(StorageError) {
    let wasEmptied = meta.transaction == other.transaction &+ 1 && !meta.free.isEmpty
    guard meta.main.isEmpty, other.main.isEmpty || wasEmptied else {
      throw file.damaged("its meta pages contradict each other")
    }
  }

  /// Compares the end of the file with the last page in use. Pages that were taken and given back in one transaction are
  /// never written, so that a sound file may be shorter: then all pages that are missing must be free ones.
  private func checkEnd() throws(StorageError) {
    let first = UInt64(size / meta.pageSize)
    guard first <= meta.lastPage else { return }
    // No page is in two lists of free ones.
    var missing = meta.lastPage - first + 1
    try visitLeaves(meta.free.root) { node throws(StorageError) in
      var list = node.data
      if node.flags & 0x01 != 0 {
        let pages = (node.dataCount + 16 + meta.pageSize - 1) / meta.pageSize
        list = try page(Self.number(node.data, 0, UInt64.self), count: pages).dropFirst(16)
      }
      let count = Self.number(list, 0, UInt64.self)
      guard count < UInt64(list.count / 8) else {
        throw file.damaged("a list of free pages is longer than its record")
      }
      for index in 0..<Int(count) {
        let number = Self.number(list, 8 + index * 8, UInt64.self)
        if (first...meta.lastPage).contains(number), missing > 0 { missing -= 1 }
      }
    }
    guard missing == 0 else { throw file.damaged("it was cut off, and \(missing) pages are missing") }
  }
}

import Foundation
import QuarryBackend

/// The file of a store, `data`: all entries of one state, and a checksum over them.
///
/// ```
/// 8 bytes  "SortedSt"
/// 1 byte   0 plain, 1 sealed: the values check themselves, and the checksum leaves them out
/// 8 bytes  the version of the state
/// 8 bytes  how many entries follow, ordered by tree and key
///   4 bytes  the tree      8 bytes  length of the key      8 bytes  length of the value      the key      the value
/// 8 bytes  the checksum
/// ```
///
/// Numbers begin with their lowest byte. A commit writes `data.new`, brings it to the disk and gives it the name `data`: who
/// opens the store finds the state before or the one after, and never a part. The new file has the permissions of the old one.
/// A second name of the file (a hard link) would keep the old state, so a commit refuses it.
struct SortedFile {
  var state: SortedState
  var isSealed: Bool

  private static let magic = Array("SortedSt".utf8)
  private static let name = "data"
  private static let newName = "data.new"
  /// What a folder of a store may have in it.
  static let names: Set = [name, newName]

  init(_ state: SortedState, isSealed: Bool) {
    self.state = state
    self.isSealed = isSealed
  }

  // MARK: Bytes

  var bytes: [UInt8] {
    var bytes = Self.magic
    var sum = Checksum()
    func append(_ part: UnsafeRawBufferPointer, isSummed: Bool = true) {
      bytes.append(contentsOf: part)
      if isSummed { sum.add(part) }
    }
    func append(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { append($0) }
    }
    append(UInt8(isSealed ? 1 : 0))
    append(state.version)
    append(UInt64(state.trees.values.reduce(0) { $0 + $1.count }))
    for (tree, entries) in state.trees.sorted(by: { $0.key < $1.key }) {
      for entry in entries {
        append(tree)
        append(UInt64(entry.key.count))
        append(UInt64(entry.value.count))
        append(entry.key)
        append(entry.value, isSummed: !isSealed)
      }
    }
    withUnsafeBytes(of: sum.value.littleEndian) { append($0, isSummed: false) }
    return bytes
  }

  /// - Throws: `corrupt` for bytes that are not exactly those of a file.
  init(_ bytes: [UInt8]) throws(StorageError) {
    self = try bytes.withUnsafeBytes { bytes in
      Result { () throws(StorageError) in
        var reader = Reader(rest: bytes)
        return try SortedFile(reading: &reader)
      }
    }.get()
  }

  private init(reading reader: inout Reader) throws(StorageError) {
    guard try reader.take(8, isSummed: false).elementsEqual(Self.magic) else {
      throw Self.damaged("it is of another kind")
    }
    isSealed = try reader.number(UInt8.self) != 0
    state = SortedState()
    state.version = try reader.number()
    let count = try reader.number(UInt64.self)
    for _ in 0..<count {
      let tree = try reader.number(UInt32.self)
      let (keyCount, valueCount) = (try reader.number(UInt64.self), try reader.number(UInt64.self))
      let key = try reader.take(keyCount)
      let value = try reader.take(valueCount, isSummed: !isSealed)
      state.trees[tree, default: []].append(Entry(key, value))
    }
    let sum = reader.sum.value
    guard try reader.number(UInt64.self) == sum else { throw Self.damaged("its checksum is another") }
    guard reader.rest.isEmpty else { throw Self.damaged("it goes on after its end") }
  }

  private static func damaged(_ what: String) -> StorageError {
    StorageError(.corrupt, "the file of the store is damaged: \(what)")
  }

  /// Takes bytes from the front.
  private struct Reader {
    var rest: UnsafeRawBufferPointer
    var sum = Checksum()

    mutating func take(_ count: UInt64, isSummed: Bool = true) throws(StorageError) -> UnsafeRawBufferPointer {
      guard count <= UInt64(rest.count) else { throw damaged("it ends too early") }
      let taken = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(count)))
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(count)))
      if isSummed { sum.add(taken) }
      return taken
    }

    mutating func number<N: FixedWidthInteger>(_ type: N.Type = N.self) throws(StorageError) -> N {
      N(littleEndian: try take(UInt64(MemoryLayout<N>.size)).loadUnaligned(as: N.self))
    }
  }

  /// FNV-1a in 64 bits, by words: finds what was changed by mistake, and is no protection against who means to.
  private struct Checksum {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
      let words = bytes.count / 8
      for word in 0..<words { add(bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self).littleEndian) }
      for byte in bytes[(words * 8)...] { add(UInt64(byte)) }
    }

    private mutating func add(_ word: UInt64) { value = (value ^ word) &* 0x100_0000_01B3 }
  }

  // MARK: The folder

  /// Reads the file in an open folder; nil where there is none, or nothing in it.
  ///
  /// - Throws: `corrupt`, `io`.
  static func read(in folder: Int32, _ path: String) throws(StorageError) -> SortedFile? {
    let file = openat(folder, name, O_RDONLY | O_CLOEXEC)
    if file < 0, errno == ENOENT { return nil }
    guard file >= 0 else { throw .path("\(path)/\(name)", errno: errno) }
    defer { _ = close(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Foundation.read(file, &part, part.count)
      guard count >= 0 else { throw .path("\(path)/\(name)", errno: errno) }
      if count == 0 { return bytes.isEmpty ? nil : try SortedFile(bytes) }
      bytes += part[..<count]
    }
  }

  /// Puts the file into the place of the one that is there, in one step.
  ///
  /// - Throws: `unsupported` when the old file has another name; `full`, `io`. The old file is there still.
  func write(in folder: Int32, _ path: String) throws(StorageError) {
    let permissions = try Self.permissionsToKeep(in: folder, path)
    do throws(StorageError) {
      let file = openat(folder, Self.newName, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      try Self.check(file, path)
      defer { _ = close(file) }
      if let permissions { try Self.check(fchmod(file, permissions), path) }
      let bytes = bytes
      var written = 0
      while written < bytes.count {
        let count = bytes[written...].withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
        try Self.check(Int32(clamping: count), path)
        written += count
      }
      try Self.check(fsync(file), path)
      try Self.check(renameat(folder, Self.newName, folder, Self.name), path)
    } catch {
      Self.removeUnfinished(in: folder)
      throw error
    }
    // The name is on the disk when the folder is.
    try Self.check(fsync(folder), path)
  }

  /// The permissions of the file that is there; nil where there is none.
  private static func permissionsToKeep(in folder: Int32, _ path: String) throws(StorageError) -> mode_t? {
    var status = stat()
    guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      if errno == ENOENT { return nil }
      throw .path("\(path)/\(name)", errno: errno)
    }
    guard status.st_nlink == 1 else {
      throw StorageError(.unsupported, "\(path)/\(name) has another name, which would keep its old content")
    }
    return status.st_mode & 0o777
  }

  /// Removes what a process has left that ended while it wrote.
  static func removeUnfinished(in folder: Int32) { unlinkat(folder, newName, 0) }

  static func remove(in folder: Int32) {
    removeUnfinished(in: folder)
    unlinkat(folder, name, 0)
  }

  private static func check(_ result: Int32, _ path: String) throws(StorageError) {
    if result < 0 { throw .path("\(path)/\(newName)", errno: errno) }
  }
}

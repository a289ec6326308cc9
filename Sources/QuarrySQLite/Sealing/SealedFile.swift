import CSQLite
import QuarryBackend

/// An open file of a sealed database behind one `sqlite3_file`: what SQLite reads and writes there, and what is on the disk.
///
/// SQLite uses a file from one thread at a time. The unsafe part: `real` is the file of the system's VFS, in the same
/// memory as SQLite's own, which SQLite keeps until it has closed it; `room` is made and freed here alone.
class SealedFile {
  let real: UnsafeMutablePointer<sqlite3_file>
  let keys: SealedKeys
  /// Named here so that it is there as long as a file of it is open.
  let vfs: SealedVFS
  /// Room for a frame with its header.
  final let room: UnsafeMutableRawPointer
  private let methods: sqlite3_io_methods
  private var sealer: SealedKeys.Sealer?
  private var openEpoch: UInt32 = 0
  private var opener: (any StoreCipher)?

  /// Behind the frame is room for what a piece is bound to.
  private static let associatedPlace = SealedFormat.frameBytes + 8

  init(_ real: UnsafeMutablePointer<sqlite3_file>, _ vfs: SealedVFS, _ keys: SealedKeys) {
    self.real = real
    self.vfs = vfs
    self.keys = keys
    methods = real.pointee.pMethods.pointee
    room = .allocate(byteCount: Self.associatedPlace + Self.associatedBytes, alignment: 64)
  }

  deinit {
    room.deallocate()
  }

  // MARK: What SQLite calls

  func read(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 { SealedResult.read }
  func write(_ source: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 { SealedResult.write }
  func truncate(_ size: Int64) -> Int32 { baseTruncate(size) }
  func size(_ size: inout Int64) -> Int32 { baseSize(&size) }
  func sync(_ flags: Int32) -> Int32 { baseSync(flags) }
  func close() -> Int32 { baseClose() }
  func control(_ operation: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
    methods.xFileControl?(real, operation, argument) ?? SQLITE_NOTFOUND
  }
  /// Called when SQLite takes a lock of the file, so that others may have changed it.
  func locked() {}

  /// A page or a frame is written whole by these files: what lies beside is not touched, and no part of one can be read.
  final var characteristics: Int32 {
    let all = methods.xDeviceCharacteristics?(real) ?? 0
    return all & (SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN | SQLITE_IOCAP_IMMUTABLE) | SQLITE_IOCAP_POWERSAFE_OVERWRITE
  }

  // MARK: The file underneath

  final func baseRead(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    methods.xRead?(real, target, Int32(count), offset) ?? SealedResult.read
  }
  final func baseWrite(_ source: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    methods.xWrite?(real, source, Int32(count), offset) ?? SealedResult.write
  }
  final func baseTruncate(_ size: Int64) -> Int32 { methods.xTruncate?(real, size) ?? SealedResult.write }
  final func baseSync(_ flags: Int32) -> Int32 { methods.xSync?(real, flags) ?? SealedResult.write }
  final func baseClose() -> Int32 { methods.xClose?(real) ?? SQLITE_OK }
  final func baseSize(_ size: inout Int64) -> Int32 {
    var found: sqlite3_int64 = 0
    let result = methods.xFileSize?(real, &found) ?? SealedResult.read
    size = found
    return result
  }
  final func lock(_ level: Int32) -> Int32 {
    locked()
    return methods.xLock?(real, level) ?? SQLITE_OK
  }
  final func unlock(_ level: Int32) -> Int32 { methods.xUnlock?(real, level) ?? SQLITE_OK }
  final func checkReservedLock(_ result: UnsafeMutablePointer<Int32>?) -> Int32 {
    methods.xCheckReservedLock?(real, result) ?? SQLITE_OK
  }
  final var sectorSize: Int32 { methods.xSectorSize?(real) ?? 0 }
  final func mapShared(
    _ region: Int32, _ size: Int32, _ extends: Int32, _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> Int32 {
    methods.xShmMap?(real, region, size, extends, place) ?? SQLITE_IOERR
  }
  final func lockShared(_ offset: Int32, _ count: Int32, _ flags: Int32) -> Int32 {
    locked()
    return methods.xShmLock?(real, offset, count, flags) ?? SQLITE_IOERR
  }
  final func barrier() { methods.xShmBarrier?(real) }
  final func unmapShared(_ deletes: Int32) -> Int32 { methods.xShmUnmap?(real, deletes) ?? SQLITE_OK }

  // MARK: Pieces

  /// Bytes of what a piece is bound to.
  static let associatedBytes = 29

  /// Writes what a piece is bound to: numbers that its part gives, the epoch, and what it is of.
  @inline(__always)
  static func bind(
    _ part: SealedFormat.Part, _ first: UInt64, _ second: UInt64, _ third: UInt64, _ epoch: UInt32,
    into bytes: UnsafeMutableRawPointer
  ) {
    bytes.storeBytes(of: first.littleEndian, as: UInt64.self)
    bytes.storeBytes(of: second.littleEndian, toByteOffset: 8, as: UInt64.self)
    bytes.storeBytes(of: third.littleEndian, toByteOffset: 16, as: UInt64.self)
    bytes.storeBytes(of: epoch.littleEndian, toByteOffset: 24, as: UInt32.self)
    bytes.storeBytes(of: part.rawValue, toByteOffset: 28, as: UInt8.self)
  }

  @inline(__always)
  private func associated(
    _ part: SealedFormat.Part, _ first: UInt64, _ second: UInt64, _ third: UInt64, _ epoch: UInt32
  ) -> UnsafeRawBufferPointer {
    let bytes = room + Self.associatedPlace
    Self.bind(part, first, second, third, epoch, into: bytes)
    return UnsafeRawBufferPointer(start: bytes, count: Self.associatedBytes)
  }

  /// Seals bytes.
  ///
  /// - Parameter trailer: ``SealedFormat/reservedBytes`` for nonce, tag and epoch.
  @inline(__always)
  final func seal(
    _ content: UnsafeRawPointer, _ count: Int, into sealed: UnsafeMutableRawPointer, trailer: UnsafeMutableRawPointer,
    _ part: SealedFormat.Part, _ first: UInt64, _ second: UInt64 = 0, _ third: UInt64 = 0
  ) -> Bool {
    do throws(StorageError) {
      var current: SealedKeys.Sealer
      if let sealer { current = sealer } else { current = try keys.sealer(after: nil) }
      while !current.count() { current = try keys.sealer(after: current) }
      sealer = current
      let bound = associated(part, first, second, third, current.epoch)
      try current.cipher.seal(
        UnsafeRawBufferPointer(start: content, count: count), bound,
        into: UnsafeMutableRawBufferPointer(start: sealed, count: count),
        trailer: UnsafeMutableRawBufferPointer(start: trailer, count: StoreCipherFormat.trailerBytes))
      trailer.storeBytes(
        of: current.epoch.littleEndian, toByteOffset: StoreCipherFormat.trailerBytes, as: UInt32.self)
      return true
    } catch {
      return false
    }
  }

  /// Opens bytes in their place.
  ///
  /// - Returns: Whether they are authentic.
  @inline(__always)
  final func open(
    _ bytes: UnsafeMutableRawPointer, _ count: Int, trailer: UnsafeRawPointer,
    _ part: SealedFormat.Part, _ first: UInt64, _ second: UInt64 = 0, _ third: UInt64 = 0
  ) -> Bool {
    do throws(StorageError) {
      let epoch = UInt32(
        littleEndian: trailer.loadUnaligned(fromByteOffset: StoreCipherFormat.trailerBytes, as: UInt32.self))
      let cipher: any StoreCipher
      if let opener, openEpoch == epoch {
        cipher = opener
      } else {
        cipher = try keys.cipher(epoch)
        opener = cipher
        openEpoch = epoch
      }
      return try cipher.open(
        UnsafeRawBufferPointer(start: bytes, count: count), associated(part, first, second, third, epoch),
        trailer: UnsafeRawBufferPointer(start: trailer, count: StoreCipherFormat.trailerBytes),
        into: UnsafeMutableRawBufferPointer(start: bytes, count: count))
    } catch {
      return false
    }
  }

  /// Whether the bytes at the end of a page that SQLite leaves alone are zeros: anything else would be lost.
  @inline(__always)
  static func isReservedClear(_ page: UnsafeRawPointer) -> Bool {
    let end = page + SealedFormat.contentBytes
    return end.loadUnaligned(as: UInt64.self) | end.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
      | end.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
      | end.loadUnaligned(fromByteOffset: 24, as: UInt64.self) == 0
  }

  @inline(__always)
  static func clearReserved(_ page: UnsafeMutableRawPointer) {
    (page + SealedFormat.contentBytes).initializeMemory(
      as: UInt8.self, repeating: 0, count: SealedFormat.reservedBytes)
  }
}

/// Results of SQLite that sealed files give.
enum SealedResult {
  static let read = SQLITE_IOERR | 1 << 8
  static let shortRead = SQLITE_IOERR | 2 << 8
  static let write = SQLITE_IOERR | 3 << 8
  /// `SQLITE_IOERR_DATA`: a page is not what was sealed. Nothing but a VFS gives it.
  static let damaged = SQLITE_IOERR | 32 << 8
}

import CSQLite
import QuarryBackend

/// An open file of a sealed database. The unsafe part: `room` is made and freed here alone.
class SealedFile: VFSFile {
  let keys: SealedKeys
  /// Named here so that it is there as long as a file of it is open.
  let vfs: SealedVFS
  /// Room for a frame with its header.
  final let room: UnsafeMutableRawPointer
  private var sealer: SealedKeys.Sealer?
  private var openEpoch: UInt32 = 0
  private var opener: (any StoreCipher)?

  /// Behind the frame is room for what a piece is bound to.
  private static let associatedPlace = SealedDatabaseFormat.frameBytes + 8

  init(_ real: UnsafeMutablePointer<sqlite3_file>, _ vfs: SealedVFS, _ keys: SealedKeys) {
    self.vfs = vfs
    self.keys = keys
    room = .allocate(byteCount: Self.associatedPlace + Self.associatedBytes, alignment: 64)
    super.init(real)
  }

  deinit {
    room.deallocate()
  }

  /// A page or a frame is written whole by these files: neighbouring bytes are not touched, and no part of one can be read.
  override final var characteristics: Int32 {
    super.characteristics & (SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN | SQLITE_IOCAP_IMMUTABLE)
      | SQLITE_IOCAP_POWERSAFE_OVERWRITE
  }

  // MARK: Pieces

  /// Bytes of what a piece is bound to.
  static let associatedBytes = 29

  /// Writes what a piece is bound to: numbers that its part gives, the epoch, and what it is of.
  @inline(__always)
  static func bind(
    _ part: SealedDatabaseFormat.Part, _ first: UInt64, _ second: UInt64, _ third: UInt64, _ epoch: UInt32,
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
    _ part: SealedDatabaseFormat.Part, _ first: UInt64, _ second: UInt64, _ third: UInt64, _ epoch: UInt32
  ) -> UnsafeRawBufferPointer {
    let bytes = room + Self.associatedPlace
    Self.bind(part, first, second, third, epoch, into: bytes)
    return UnsafeRawBufferPointer(start: bytes, count: Self.associatedBytes)
  }

  /// Seals bytes.
  ///
  /// - Parameter trailer: ``SealedDatabaseFormat/reservedBytes`` for nonce, tag and epoch.
  @inline(__always)
  final func seal(
    _ content: UnsafeRawPointer, _ count: Int, into sealed: UnsafeMutableRawPointer, trailer: UnsafeMutableRawPointer,
    _ part: SealedDatabaseFormat.Part, _ first: UInt64, _ second: UInt64 = 0, _ third: UInt64 = 0
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
    _ part: SealedDatabaseFormat.Part, _ first: UInt64, _ second: UInt64 = 0, _ third: UInt64 = 0
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
    let end = page + SealedDatabaseFormat.contentBytes
    return end.loadUnaligned(as: UInt64.self) | end.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
      | end.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
      | end.loadUnaligned(fromByteOffset: 24, as: UInt64.self) == 0
  }

  @inline(__always)
  static func clearReserved(_ page: UnsafeMutableRawPointer) {
    (page + SealedDatabaseFormat.contentBytes).initializeMemory(
      as: UInt8.self, repeating: 0, count: SealedDatabaseFormat.reservedBytes)
  }
}

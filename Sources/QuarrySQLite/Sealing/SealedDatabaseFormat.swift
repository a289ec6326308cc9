/// The numbers of a sealed database: `docs/formats/sqlite.md`.
enum SealedDatabaseFormat {
  /// Bytes of a page, and of the header page before SQLite's first one.
  static let pageBytes = 4096
  /// Bytes at the end of a page that SQLite leaves alone: nonce 12, tag 16, epoch 4.
  static let reservedBytes = 32
  /// Bytes of a page that are SQLite's.
  static let contentBytes = pageBytes - reservedBytes
  /// Bytes of the log's header.
  static let logHeaderBytes = 32
  /// Bytes before a page in the log.
  static let frameHeaderBytes = 24
  /// Bytes at the beginning of that which are in the clear: page number, size after a commit, two salts.
  static let clearFrameBytes = 16
  static let frameBytes = frameHeaderBytes + pageBytes

  /// The kind of a piece, in the data that it is bound to.
  enum Part: UInt8 {
    case page = 0x4D  // M
    case frame = 0x57  // W
    case journal = 0x4A  // J
    case logSlot = 0x53  // S
  }
}

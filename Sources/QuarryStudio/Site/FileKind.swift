import QuarryBackend
import QuarryData

/// A file that is no text, by the bytes at its beginning. Read as a table, it would be one of a few senseless columns.
enum FileKind: CaseIterable {
  case png, jpeg, gif, pdf, zip, gzip, sqlite, program

  /// The kind of an uploaded file; nil for a text, and for what is not known.
  init?(_ file: SpooledInput) throws {
    var start = [UInt8](repeating: 0, count: 16)
    let source = try ByteSource(file)
    let count = try start.withUnsafeMutableBytes { try source.read(into: $0) }
    guard let kind = Self.allCases.first(where: { start[..<count].starts(with: $0.bytes) }) else { return nil }
    self = kind
  }

  private var bytes: [UInt8] {
    switch self {
    case .png: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A]
    case .jpeg: [0xFF, 0xD8, 0xFF]
    case .gif: Array("GIF8".utf8)
    case .pdf: Array("%PDF-".utf8)
    case .zip: [0x50, 0x4B, 0x03, 0x04]
    case .gzip: [0x1F, 0x8B]
    case .sqlite: Array("SQLite format 3".utf8)
    case .program: [0x7F, 0x45, 0x4C, 0x46]
    }
  }

  var words: String {
    switch self {
    case .png, .jpeg, .gif: "a picture"
    case .pdf: "a PDF document"
    case .zip: "an archive, or a file of a spreadsheet or word processor"
    case .gzip: "a compressed file"
    case .sqlite: "an SQLite database"
    case .program: "a program"
    }
  }
}

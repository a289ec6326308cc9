import CSQLite
import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How connections open the file.
///
/// By SQLite's defaults, reading a database with a write-ahead log writes files: a connection that only reads creates the log and
/// its shared index next to the database, and leaves them there. A store that is opened for reading only uses one of the other
/// forms, none of which writes a file.
enum SQLiteFileAccess: Sendable, Hashable {
  case readWrite
  /// A database without a log next to it: the file is all there is.
  ///
  /// SQLite assumes that it does not change, and ``SQLiteFileState`` detects it when another process still changes it.
  case readUnchanging
  /// A database with a log: it is read together with the index that the writing process keeps.
  case readShared
  /// A database that has no log by its header.
  case readPlain

  var flags: Int32 {
    switch self {
    case .readWrite: SQLITE_OPEN_READWRITE
    case .readUnchanging, .readShared: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    case .readPlain: SQLITE_OPEN_READONLY
    }
  }

  var isReadOnly: Bool { self != .readWrite }

  /// The name that SQLite is given for an absolute path.
  func name(of path: String) -> String {
    switch self {
    case .readWrite, .readPlain: path
    case .readUnchanging: "file://\(Self.escaped(path))?immutable=1"
    case .readShared: "file://\(Self.escaped(path))?readonly_shm=1"
    }
  }

  private static func escaped(_ path: String) -> String {
    var result = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return result
  }
}

import Foundation

/// One operation on the files of a folder, as QuarryCrashLab writes it down. Paths are relative to the folder.
struct FileOperation: Equatable {
  enum Kind: Equatable {
    /// Nothing that a disk would know of: a read, or the opening of what is there.
    case read
    case create(String, LabFile.ID)
    /// A file without a path.
    case createNameless(LabFile.ID)
    /// - Parameter isSynced: Whether it is on the disk when it returns.
    case write(LabFile.ID, at: Int, [UInt8], isSynced: Bool)
    case truncate(LabFile.ID, to: Int)
    /// Room, with which the file is at least so long; nil where its length stays.
    case allocate(LabFile.ID, to: Int?)
    case sync(LabFile.ID)
    case syncFolder(String)
    case rename(String, to: String)
    case link(LabFile.ID, at: String)
    case unlink(String)
    case makeFolder(String)
    case removeFolder(String)
    /// How far the program is.
    case mark(String)
  }

  /// Its number in the process, by which it can be made to fail; operations of which one is reported twice share it.
  let number: Int
  let kind: Kind
  /// Whether it opens a file.
  var isOpening = false
}

extension FileOperation: CustomStringConvertible {
  var description: String {
    switch kind {
    case .read: "read"
    case .create(let path, let file): "create \(path) (file \(file))"
    case .createNameless(let file): "create file \(file) without a name"
    case .write(let file, let start, let bytes, let isSynced):
      "write file \(file) at \(start), \(bytes.count) bytes\(isSynced ? ", synced" : "")"
    case .truncate(let file, let length): "truncate file \(file) to \(length)"
    case .allocate(let file, let length): "allocate file \(file)\(length.map { " to \($0)" } ?? "")"
    case .sync(let file): "sync file \(file)"
    case .syncFolder(let path): "sync folder \(path.isEmpty ? "." : path)"
    case .rename(let old, let new): "rename \(old) to \(new)"
    case .link(let file, let path): "link file \(file) as \(path)"
    case .unlink(let path): "unlink \(path)"
    case .makeFolder(let path): "mkdir \(path)"
    case .removeFolder(let path): "rmdir \(path)"
    case .mark(let text): "-- \(text)"
    }
  }
}

/// What a process did to the files of a folder: what was there, and the operations in their order.
package struct FileRecording {
  /// What was on the disk before.
  let start: FileImage
  var operations: [FileOperation]

  /// Reads what QuarryCrashLab has written down.
  ///
  /// - Parameters:
  ///   - log: What it wrote, whole.
  ///   - folder: The folder, without links in its path.
  ///   - start: What was in the folder before.
  ///   - numbers: The system's numbers of the files that were there.
  init(_ log: Data, folder: String, start: FileImage, numbers: [UInt64: LabFile.ID]) throws {
    self.start = start
    operations = []
    var files = numbers
    var nextFile = (start.files.keys.max() ?? 0) + 1
    var place = 0
    func take(_ count: Int) throws -> Data {
      guard count >= 0, place + count <= log.count else {
        throw ConformanceFailure(message: "the record of operations ends in the midst", file: #fileID, line: #line)
      }
      defer { place += count }
      return log[log.startIndex + place..<log.startIndex + place + count]
    }
    func number<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
      var value: T = 0
      let bytes = try take(MemoryLayout<T>.size)
      _ = withUnsafeMutableBytes(of: &value) { bytes.copyBytes(to: $0) }
      return value
    }
    func path(_ bytes: Data) -> String {
      let path = String(decoding: bytes, as: UTF8.self)
      return path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.utf8.count + 1)) : ""
    }
    while place < log.count {
      let (kind, flags) = (try number(UInt32.self), try number(UInt32.self))
      let (operation, system) = (Int(try number(UInt64.self)), try number(UInt64.self))
      let (offset, length) = (Int(try number(UInt64.self)), Int(try number(UInt64.self)))
      let counts = (Int(try number(UInt32.self)), Int(try number(UInt32.self)))
      let texts = (try take(counts.0), try take(counts.1))
      /// A file that was open before, and had no path in the folder, is one more.
      func known() -> LabFile.ID {
        if let file = files[system] { return file }
        return new()
      }
      func new() -> LabFile.ID {
        files[system] = nextFile
        nextFile += 1
        return nextFile - 1
      }
      func add(_ kind: FileOperation.Kind) {
        operations.append(FileOperation(number: operation, kind: kind, isOpening: flags & 2 != 0))
      }
      switch kind {
      case 0: add(.read)
      case 1: add(.create(path(texts.0), new()))
      case 2: add(.write(known(), at: offset, Array(try take(length)), isSynced: flags & 1 != 0))
      case 3: add(.truncate(known(), to: length))
      case 4: add(.sync(known()))
      case 5: add(.rename(path(texts.0), to: path(texts.1)))
      case 6: add(.link(known(), at: path(texts.0)))
      case 7: add(.unlink(path(texts.0)))
      case 8: add(.makeFolder(path(texts.0)))
      case 9: add(.removeFolder(path(texts.0)))
      case 10: add(.mark(String(decoding: texts.0, as: UTF8.self)))
      case 11: add(.createNameless(new()))
      case 12: add(.allocate(known(), to: flags & 1 != 0 ? nil : offset + length))
      case 13: add(.syncFolder(path(texts.0)))
      default:
        throw ConformanceFailure(
          message: "an operation on \(path(texts.0)) cannot be followed", file: #fileID, line: #line)
      }
    }
  }

  /// A recording that something was done to, for faults of a program that does not exist.
  init(_ start: FileImage, _ operations: [FileOperation]) {
    (self.start, self.operations) = (start, operations)
  }
}

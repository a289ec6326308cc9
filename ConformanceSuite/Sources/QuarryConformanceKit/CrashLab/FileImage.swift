import Foundation

/// The bytes of a file.
package struct LabFile: Hashable {
  /// Which file it is, whatever its path.
  package typealias ID = Int

  var bytes: [UInt8] = []

  mutating func write(_ new: some Collection<UInt8>, at place: Int) {
    if bytes.count < place + new.count { bytes += [UInt8](repeating: 0, count: place + new.count - bytes.count) }
    bytes.replaceSubrange(place..<place + new.count, with: new)
  }

  mutating func setLength(_ length: Int) {
    if length < bytes.count {
      bytes.removeLast(bytes.count - length)
    } else {
      bytes += [UInt8](repeating: 0, count: length - bytes.count)
    }
  }
}

/// What is in a folder: files under paths that are relative to it.
package struct FileImage {
  /// Folders inside, and the files' paths.
  var folders: Set<String> = []
  var paths: [String: LabFile.ID] = [:]
  /// Also files that have no path.
  var files: [LabFile.ID: LabFile] = [:]

  init() {}

  /// The path of the folder that a path is in; empty for the outermost.
  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  /// What is in the folder now, and the system's numbers of its files.
  package static func read(_ folder: String) throws -> (image: FileImage, numbers: [UInt64: LabFile.ID]) {
    var image = FileImage()
    var numbers: [UInt64: LabFile.ID] = [:]
    guard let names = FileManager.default.enumerator(atPath: folder) else { return (image, numbers) }
    for case let name as String in names {
      var status = stat()
      guard lstat("\(folder)/\(name)", &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        image.folders.insert(name)
      } else if let file = numbers[UInt64(status.st_ino)] {
        image.paths[name] = file
      } else {
        let file = numbers.count + 1
        numbers[UInt64(status.st_ino)] = file
        image.paths[name] = file
        image.files[file] = LabFile(bytes: Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))))
      }
    }
    return (image, numbers)
  }

  /// Makes a folder have this, and nothing else.
  package func put(in folder: String) throws {
    try Self.empty(folder)
    for inner in folders.sorted() { try makeFolder("\(folder)/\(inner)") }
    var written: [LabFile.ID: String] = [:]
    for (path, file) in paths.sorted(by: { $0.key < $1.key }) {
      let whole = "\(folder)/\(path)"
      if let first = written[file] {
        guard link(first, whole) == 0 else { throw Self.failure("link", whole) }
        continue
      }
      written[file] = whole
      let contents = Data(files[file]?.bytes ?? [])
      guard
        FileManager.default.createFile(atPath: whole, contents: contents, attributes: [.posixPermissions: 0o600])
      else { throw Self.failure("createFile", whole) }
    }
  }

  static func empty(_ folder: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      if unlink("\(folder)/\(name)") != 0 { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
    }
  }

  private func makeFolder(_ path: String) throws {
    guard mkdir(path, 0o700) == 0 else { throw Self.failure("mkdir", path) }
  }

  private static func failure(_ call: String, _ path: String) -> ConformanceFailure {
    ConformanceFailure(
      message: "\(call) of \(path): \(String(cString: strerror(errno)))", file: #fileID, line: #line)
  }

  // MARK: Operations

  /// Does an operation as the system does it. One that another has made senseless does nothing.
  mutating func apply(_ kind: FileOperation.Kind) {
    switch kind {
    case .create(let path, let file):
      files[file] = files[file] ?? LabFile()
      paths[path] = file
    case .createNameless(let file): files[file] = LabFile()
    case .write(let file, let place, let bytes, _): files[file, default: LabFile()].write(bytes, at: place)
    case .truncate(let file, let length): files[file, default: LabFile()].setLength(length)
    case .allocate(let file, let length?):
      if files[file]?.bytes.count ?? 0 < length { files[file, default: LabFile()].setLength(length) }
    case .rename(let old, let new):
      if folders.remove(old) != nil {
        let inner = folders.filter { $0.hasPrefix(old + "/") }
        folders.subtract(inner)
        folders.formUnion(inner.map { new + $0.dropFirst(old.count) } + [new])
        for (path, file) in paths where path.hasPrefix(old + "/") {
          paths[path] = nil
          paths[new + path.dropFirst(old.count)] = file
        }
      } else if let file = paths.removeValue(forKey: old) {
        paths[new] = file
      }
    case .link(let file, let path): paths[path] = file
    case .unlink(let path): paths[path] = nil
    case .makeFolder(let path): folders.insert(path)
    case .removeFolder(let path): folders.remove(path)
    case .read, .allocate, .sync, .syncFolder, .mark: return
    }
  }

  /// A number that two images share only by chance, of what a program can see.
  func seal(_ more: some Hashable) -> Int {
    var hasher = Hasher()
    hasher.combine(folders)
    for (path, file) in paths.sorted(by: { $0.key < $1.key }) {
      hasher.combine(path)
      files[file]?.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
    hasher.combine(more)
    return hasher.finalize()
  }

  /// The files that have a path.
  var named: FileImage {
    var image = self
    let used = Set(paths.values)
    image.files = files.filter { used.contains($0.key) }
    return image
  }
}

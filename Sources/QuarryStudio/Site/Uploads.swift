import QuarryBackend
import QuarryData
import Synchronization

/// Files that were uploaded and not imported yet, kept without a name on disk.
final class Uploads: Sendable {
  struct Upload: Sendable {
    /// The random name by which pages refer to it.
    let id: String
    /// The name that the browser gave.
    let name: String
    let file: SpooledInput
    let format: DataFormat

    /// The name of a model for it: `air-ports.csv` becomes `AirPorts`.
    var suggestedModel: String {
      let base = name.prefix { $0 != "." }
      let words = base.split { !$0.isLetter && !$0.isNumber }.map { $0.prefix(1).uppercased() + $0.dropFirst() }
      let text = words.joined()
      return text.first?.isLetter == true ? String(text.prefix(60)) : "Imported"
    }

    var data: DataFile {
      var data = DataFile(file, format: format)
      if name.lowercased().hasSuffix(".tsv") || name.lowercased().hasSuffix(".tab") { data.delimiter = 0x09 }
      return data
    }
  }

  /// The most files that are kept; a further one replaces the oldest.
  static let most = 4

  private let kept = Mutex<[Upload]>([])

  /// Keeps a file.
  ///
  /// - Throws: `io` when it cannot be read.
  func keep(_ file: SpooledInput, name: String) throws(StorageError) -> Upload {
    let format: DataFormat
    if let named = DataFormat(path: name) { format = named } else { format = try DataFile.format(of: file) }
    let upload = Upload(id: StudioGuard.secret(16), name: name, file: file, format: format)
    kept.withLock { kept in
      if kept.count >= Self.most { kept.removeFirst() }
      kept.append(upload)
    }
    return upload
  }

  /// - Throws: `notFound` for a file that was imported, replaced by later ones, or never there.
  func upload(_ id: String) throws(StorageError) -> Upload {
    guard let upload = kept.withLock({ kept in kept.first { $0.id == id } }) else {
      throw StorageError(.notFound, "the uploaded file is no longer kept: choose it again")
    }
    return upload
  }

  func remove(_ id: String) { kept.withLock { $0.removeAll { $0.id == id } } }
}

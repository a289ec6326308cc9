import BenchmarkHarness
import Foundation
import QuarryBackend
import QuarryData
import QuarryEngines

/// Where the user's data are: a file of CSV or JSON Lines, or a store.
public struct DataSource: Sendable {
  enum Content {
    case file(DataFile)
    case store(StoreURL)
  }

  let content: Content

  /// - Parameters:
  ///   - text: The name of a file, or the URL of a store.
  ///   - emptyAsText: In columns of text an empty cell of CSV is the empty text and not nil.
  /// - Throws: `BenchmarkError` for what is neither.
  public init(_ text: String, emptyAsText: Bool) throws {
    let scheme = text.prefix { $0 != ":" }
    if scheme.count < text.count, EngineDescription(scheme: String(scheme)) != nil {
      let url: StoreURL
      do {
        url = try StoreURL(parsing: text)
      } catch let error as StorageError {
        throw BenchmarkError("--data: \(error.message)")
      }
      guard url.engine != .memory else { throw BenchmarkError("--data: a store in memory is empty in a new process") }
      content = .store(url)
    } else if let format = DataFormat(path: text) {
      content = .file(DataFile(path: text, format: format, emptyAsText: emptyAsText))
    } else {
      throw BenchmarkError(
        "--data \(text): neither a file whose name ends in .csv, .tsv, .jsonl or .json nor the URL of a store (\(StoreURL.forms))"
      )
    }
  }

  /// The name of the model where none is given: that of a file without its folder and its extension; nil for a store.
  var modelName: String? {
    guard case .file(let file) = content else { return nil }
    return URL(fileURLWithPath: file.path).deletingPathExtension().lastPathComponent
  }

  /// What a report calls it: no path, since reports are shown around.
  public var name: String {
    switch content {
    case .file(let file): URL(fileURLWithPath: file.path).lastPathComponent
    case .store(let url): "a store of \(url.engine.scheme):"
    }
  }
}

/// What is taken of the data.
public struct DataSelection: Sendable {
  /// The model; nil for the only one of a store, and for one with the name of the file.
  public var model: String?
  /// The column that is the key; nil for that of a stored model, and for a column of a file whose values all differ.
  public var key: String?
  /// Columns to index, beside the indexes of a stored model.
  public var indexed: [String]
  /// Columns whose values are unique.
  public var unique: [String]
  /// The most rows to take, from the beginning.
  public var first: Int?

  public init(model: String?, key: String?, indexed: [String], unique: [String] = [], first: Int?) {
    self.model = model
    self.key = key
    self.indexed = indexed
    self.unique = unique
    self.first = first
  }
}

/// The format of a file of data, by the ending of its name.
public enum DataFormat: String, Sendable, CaseIterable {
  /// Comma-separated values, or values with another character between them.
  case csv
  /// A JSON object on each line.
  case jsonl
  /// An array of JSON objects, or an object on each line: the first character of the file decides.
  case json

  /// The format of a file with that name; nil where the name has another ending.
  ///
  /// - Parameter path: A path or a name with an ending in any case: `.csv`, `.tsv`, `.tab`, `.jsonl`, `.ndjson` or `.json`.
  public init?(path: String) {
    let lowered = path.loweredASCII
    if [".csv", ".tsv", ".tab"].contains(where: lowered.hasSuffix) {
      self = .csv
    } else if [".jsonl", ".ndjson"].contains(where: lowered.hasSuffix) {
      self = .jsonl
    } else if lowered.hasSuffix(".json") {
      self = .json
    } else {
      return nil
    }
  }

  /// Whether the ending of a name means that cells are separated by tabs.
  static func hasTabs(_ path: String) -> Bool {
    let lowered = path.loweredASCII
    return lowered.hasSuffix(".tsv") || lowered.hasSuffix(".tab")
  }
}

/// The format of a file of data, by the ending of its name.
public enum DataFormat: String, Sendable, CaseIterable {
  case csv, jsonl

  /// The format of a file with that name; nil where the name has another ending.
  public init?(path: String) {
    let lowered = path.loweredASCII
    if lowered.hasSuffix(".csv") {
      self = .csv
    } else if lowered.hasSuffix(".jsonl") || lowered.hasSuffix(".ndjson") {
      self = .jsonl
    } else {
      return nil
    }
  }
}

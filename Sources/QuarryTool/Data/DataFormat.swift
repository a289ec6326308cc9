/// The format of a file of data, by the ending of its name.
enum DataFormat: String, CaseIterable {
  case csv, jsonl

  init?(path: String) {
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

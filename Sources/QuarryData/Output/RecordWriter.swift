package import QuarryBackend

/// Writes records in one format.
package protocol RecordWriter {
  /// Begins the output. Called once, before anything else.
  mutating func begin(_ columns: [String]) throws
  /// Writes one record's values, in the order of the columns.
  mutating func write(_ values: [Value]) throws
  /// Ends the output and writes everything that was held back.
  mutating func finish() throws
}

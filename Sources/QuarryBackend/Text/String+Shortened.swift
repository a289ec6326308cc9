extension String {
  /// The text for a message: its beginning where it has more than 80 bytes.
  package var shortened: String { utf8.count <= 80 ? self : String(unicodeScalars.prefix(60)) + "…" }
}

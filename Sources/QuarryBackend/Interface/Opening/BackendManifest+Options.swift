extension BackendManifest {
  /// Throws `unsupported` for an option of opening that is not offered. A backend calls it before any effect.
  public func check(_ options: OpenOptions) throws(StorageError) {
    if options.encryption != nil { try require(.openEncryption) }
    if options.namespace != nil { try require(.openNamespace) }
    if let asked = options.durability, asked != durability { try require(.openDurability) }
  }

  /// Throws `unsupported` for an option of a write transaction that is not offered.
  public func check(_ options: WriteOptions) throws(StorageError) {
    guard !options.capture.isNone else { return }
    switch options.capture.most {
    case .none: return
    case .touched, .keys: try require(.captureKeys)
    case .rows: try require(.captureRows)
    }
  }
}

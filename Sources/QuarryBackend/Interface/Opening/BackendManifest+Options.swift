extension BackendManifest {
  /// Checks that the backend offers the options of opening. A backend calls it before any effect.
  ///
  /// - Parameter options: The options as the program gave them.
  /// - Throws: `unsupported` for a key, a namespace or another durability than the backend's that it does not offer.
  public func check(_ options: OpenOptions) throws(StorageError) {
    if options.encryption != nil { try require(.openEncryption) }
    if options.namespace != nil { try require(.openNamespace) }
    if let asked = options.durability, asked != durability { try require(.openDurability) }
  }

  /// Checks that the backend offers the capture that the options of a write ask for.
  ///
  /// - Parameter options: The options of the write transaction.
  /// - Throws: `unsupported` for keys (``Capability/captureKeys``) or rows (``Capability/captureRows``) that it does not capture.
  public func check(_ options: WriteOptions) throws(StorageError) {
    guard !options.capture.isNone else { return }
    switch options.capture.most {
    case .none: return
    case .touched, .keys: try require(.captureKeys)
    case .rows: try require(.captureRows)
    }
  }
}

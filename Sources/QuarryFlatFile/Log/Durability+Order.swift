import QuarryBackend

extension BackendManifest.Durability {
  /// Whether less survives than at the other level.
  func isWeaker(than other: BackendManifest.Durability) -> Bool {
    switch (self, other) {
    case (.powerLoss, _), (_, .none): false
    case (.none, _): true
    case (.processCrash, _): other == .powerLoss
    }
  }
}

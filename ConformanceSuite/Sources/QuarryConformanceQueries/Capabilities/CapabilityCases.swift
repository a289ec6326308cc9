import QuarryBackend
import QuarryConformanceKit
import QuarryCore

enum CapabilityCases {
  /// Throws unless the call is refused as the manifest says, or works as it says.
  private static func expectDeclared<R>(
    _ capability: Capability, _ manifest: BackendManifest, line: Int = #line, _ body: () throws -> R
  ) throws {
    let support = try unwrap(manifest.capabilities[capability], capability.rawValue)
    guard support.isSupported else {
      let error = try expectError(.unsupported, capability.rawValue, line: line, body)
      return try expectEqual(error.capability, capability, line: line)
    }
    _ = try body()
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "CAP.manifest", ["CAP-1"], "The manifest lists every capability, with a reason for what is missing."
    ) {
      kit in
      let manifest = try kit.store(Item.self).manifest
      try expectEqual(Set(manifest.capabilities.keys), Set(Capability.allCases))
      for case (let capability, .unsupported(let reason)) in manifest.capabilities {
        try expect(!reason.isEmpty, capability.rawValue)
      }
      try expectEqual(manifest.contract, "0.3")
      try expect(!manifest.name.isEmpty && !manifest.engineVersion.isEmpty)
    },
    ConformanceCase("CAP.care", ["CAP-2"], "Compaction, backups and checks work or are refused, as declared.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      try expectDeclared(.compact, store.manifest) { try store.compact() }
      try expectDeclared(.backup, store.manifest) { try CopyScene.inFolder { try store.backup(to: $0) } }
      try expectDeclared(.check, store.manifest) { try store.check() }
      try expectEqual(try store.fetch(Item.all), [Item(1)])
      try store.insert(Item(2))
    },
    ConformanceCase(
      "CAP.encryption", ["CAP-2"], "A key of encryption is refused before anything is made, or seals the store.",
      without: [.encrypted]
    ) { kit in
      let place = try kit.makePlace()
      let manifest = try kit.store(Item.self).manifest
      var options = OpenOptions()
      options.encryption = Encryption(try ConformanceKey.key())
      try expectDeclared(.openEncryption, manifest) { try kit.open([Item.self], at: place, options: options).close() }
      if manifest.capabilities[.openEncryption]?.isSupported == true, kit.harness.isPersistent {
        try expectError(.keyRequired) { _ = try kit.open([Item.self], at: place) }
      } else {
        try expectEqual(try kit.open([Item.self], at: place).count(Item.all), 0)
      }
    },
    ConformanceCase("CAP.namespace", ["CAP-2"], "A namespace is refused before anything is made.") { kit in
      let place = try kit.makePlace()
      let manifest = try kit.store(Item.self).manifest
      var options = OpenOptions()
      options.namespace = "n"
      try expectDeclared(.openNamespace, manifest) { try kit.open([Item.self], at: place, options: options).close() }
      try expectEqual(try kit.open([Item.self], at: place).count(Item.all), 0)
    },
    ConformanceCase(
      "CAP.destroyed", ["CAP-1", "OPEN-3"], "A store that was destroyed is closed, and empty when it is made again.",
      needs: [.destroy], requiresPersistence: true, without: [.reopened]
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Item.self], at: place)
      try store.insert(Item(1))
      do {
        try store.destroy()
      } catch let error as StorageError where error.code == .inUse {
        // Something else holds the place open: refused, and nothing is lost.
        return try expectEqual(try store.count(Item.all), 1)
      }
      try expectError(.closed) { try store.count(Item.all) }
      try expectEqual(try kit.open([Item.self], at: place).count(Item.all), 0)
    },
    ConformanceCase("CAP.durability", ["CAP-1", "CAP-2"], "A durability is what was asked for, or refused.") { kit in
      let manifest = try kit.store(Item.self).manifest
      for durability in [BackendManifest.Durability.none, .processCrash, .powerLoss] {
        var options = OpenOptions()
        options.durability = durability
        if durability == manifest.durability || manifest.capabilities[.openDurability]?.isSupported == true {
          let store = try kit.open([Item.self], at: kit.makePlace(), options: options)
          try expectEqual(store.manifest.durability, durability)
        } else {
          let error = try expectError(.unsupported) { try kit.open([Item.self], at: kit.makePlace(), options: options) }
          try expectEqual(error.capability, .openDurability)
        }
      }
    },
    ConformanceCase("CAP.explain", ["CAP-4"], "An explanation names each part of a predicate once.") { kit in
      let store = try kit.store(Item.self)
      let query = Item.where { $0.rank == 1 && $0.name.contains("A", options: .caseInsensitive) }
      let plan = try store.explain(query)
      try expect(!plan.backend.isEmpty && !plan.access.isEmpty && !plan.description.isEmpty)
      let parts = plan.pushed + plan.residual
      try expect(parts.contains { $0.contains("rank") } && parts.contains { $0.contains("name") }, plan.description)
    },
    ConformanceCase("CAP.statistics", ["CAP-1", "AGG-1"], "Statistics count rows and indexes.") { kit in
      let store = try kit.store(Item.self, Numbered.self)
      try store.insert(contentsOf: (0..<30).map { Item($0) })
      try expectDeclared(.statistics, store.manifest) {
        let models = try store.statistics().models
        try expectEqual(models.first { $0.name == "Item" }?.rows, 30)
        try expectEqual(models.first { $0.name == "Item" }?.indexes.count, 3)
        try expectEqual(models.first { $0.name == "Numbered" }?.rows, 0)
      }
    },
  ]
}

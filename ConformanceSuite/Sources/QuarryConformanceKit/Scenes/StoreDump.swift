import Foundation
package import QuarryBackend
package import QuarryCore
package import QuarryDump

/// Stores as texts, and texts as stores.
package enum StoreDump {
  package static func text(_ store: some ReadableStore) throws -> String {
    var bytes: [UInt8] = []
    _ = try store.dump { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Restores a text at a place.
  @discardableResult
  package static func restore(_ text: String, to place: any BackendProvider) throws -> DumpReport {
    try restore(bytes: Array(text.utf8), to: place)
  }

  @discardableResult
  package static func restore(bytes: [UInt8], to place: any BackendProvider) throws -> DumpReport {
    try CopyScene.inFolder { path in
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      return try Store.restore(path, to: place)
    }
  }
}

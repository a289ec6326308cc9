import Foundation
public import QuarryBackend

extension EngineDescription {
  /// The engines as JSON: an array with one engine on each line, for scripts.
  ///
  /// The keys are `name`, `scheme`, `suffix` (absent for stores without a path), `purpose`, `options`, `variants`, `modules`,
  /// `keepsAllInMemory`, `isReadByOthers` and `manifest`. A key may be added; none changes its meaning.
  ///
  /// - Throws: The encoder's errors; these values cause none.
  public static func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let lines = try all.map { String(decoding: try encoder.encode(Listed($0)), as: UTF8.self) }
    return "[\n" + lines.joined(separator: ",\n") + "\n]\n"
  }

  private struct Listed: Encodable {
    let name: String
    let scheme: String
    let suffix: String?
    let purpose: String
    let options: [String]
    let variants: [Variant]
    let modules: [String]
    let keepsAllInMemory: Bool
    let isReadByOthers: Bool
    let manifest: BackendManifest

    init(_ engine: EngineDescription) {
      name = engine.name
      scheme = engine.scheme
      suffix = engine.fileSuffix
      purpose = engine.purpose
      options = engine.options
      variants = engine.variants
      modules = engine.modules
      keepsAllInMemory = engine.keepsAllInMemory
      isReadByOthers = engine.isReadByOthers
      manifest = engine.manifest
    }
  }
}

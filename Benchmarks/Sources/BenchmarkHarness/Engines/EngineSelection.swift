/// Which engines take part in a run.
public struct EngineSelection {
  public let engines: [BenchmarkEngine]
  /// A sentence for each engine that would take part and cannot.
  public let leftOut: [String]

  /// - Parameters:
  ///   - names: The engines that were asked for; nil for all.
  ///   - isAboutEncryption: Whether the encrypted engines take part, beside what they are compared with. They take no part
  ///     in other runs, unless they are named.
  /// - Throws: `BenchmarkError` for a name that no engine has, for an engine that was named and cannot take part, and if no engine
  ///   can.
  public init(from all: [BenchmarkEngine], names: [String]?, isAboutEncryption: Bool) throws {
    for name in names ?? [] {
      guard let engine = all.first(where: { $0.name == name }) else {
        throw BenchmarkError("no engine is called \(name); there are: \(all.map(\.name).joined(separator: ", "))")
      }
      if let obstacle = engine.obstacle { throw BenchmarkError("\(name) cannot take part: \(obstacle)") }
    }
    if let names, names.isEmpty { throw BenchmarkError("no engine is given") }
    let peersOfEncrypted = Set(all.filter(\.isEncrypted).compactMap(\.peer))
    let wanted = all.filter { engine in
      switch (names, isAboutEncryption) {
      case (nil, false): !engine.isEncrypted && !engine.isVariant
      case (nil, true): engine.isEncrypted || peersOfEncrypted.contains(engine.name)
      case (let names?, false): names.contains(engine.name)
      case (let names?, true):
        names.contains(engine.name) || engine.isEncrypted && engine.peer.map(names.contains) == true
      }
    }
    engines = wanted.filter { $0.obstacle == nil }
    if engines.isEmpty, let obstacle = wanted.lazy.compactMap(\.obstacle).first {
      throw BenchmarkError("no engine can take part: \(obstacle)")
    }
    leftOut = wanted.compactMap { engine in engine.obstacle.map { "\(engine.name) is left out: \($0)" } }
  }
}

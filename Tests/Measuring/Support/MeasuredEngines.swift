import QuarryBackend
package import QuarryEngines

/// The engines that the arguments name; all where they name none.
package let measuredEngines: [EngineDescription] = {
  let named = EngineDescription.all.filter { CommandLine.arguments.contains($0.name) }
  return named.isEmpty ? EngineDescription.all : named
}()

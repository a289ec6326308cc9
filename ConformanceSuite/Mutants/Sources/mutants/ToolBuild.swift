import Foundation
import MutantPlanting

/// The kit's tool with mutants in it: built, or taken from an earlier run that had just these.
struct ToolBuild {
  let order: [Mutant]
  let count: Int
  let sources: [String: String]
  let copy: PackageCopy
  let folder: URL
  let isOptimized: Bool
  let stateFile: URL

  func isBuilt(_ state: RunState) -> Bool { tool(state) != nil }

  private func tool(_ state: RunState) -> String? {
    let known = MutantBuild.planted(order, state.refused, count, tool: "")
    let tool = state.tools[state.name(known.mutants, isOptimized: isOptimized)]
    return tool.flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil }
  }

  func planted(_ state: inout RunState) throws -> MutantBuild.Planted {
    if let tool = tool(state) { return MutantBuild.planted(order, state.refused, count, tool: tool) }
    let build = MutantBuild(copy: copy, isOptimized: isOptimized, log: say) { [state] refused in
      var state = state
      state.refused = refused
      try state.write(stateFile)
    }
    var planted = try build.build(order, count: count, sources: sources, known: &state.refused)
    // Copies, which last when the kit is built again while mutants are tried.
    let built = state.name(planted.mutants, isOptimized: isOptimized)
    let tools = folder.appending(path: "tools/\(built)")
    let tool = tools.appending(path: MutantBuild.program)
    try? FileManager.default.removeItem(at: tools)
    try FileManager.default.createDirectory(at: tools, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: planted.tool, toPath: tool.path)
    let library = URL(fileURLWithPath: planted.tool).deletingLastPathComponent().appending(path: MutantBuild.library)
    if FileManager.default.fileExists(atPath: library.path) {
      try FileManager.default.copyItem(at: library, to: tools.appending(path: MutantBuild.library))
    }
    planted.tool = tool.path
    state.tools[built] = tool.path
    try state.write(stateFile)
    return planted
  }
}

import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct Plugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    ModelMacro.self, AttributeMacro.self, TransientMacro.self, IndexMacro.self, UniqueMacro.self,
  ]
}

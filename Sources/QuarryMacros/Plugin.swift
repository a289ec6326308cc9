import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct Plugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    ModelMacro.self, NestedMacro.self, AttributeMacro.self, RelationshipMacro.self, ManyMacro.self, LinksMacro.self,
    TransientMacro.self, MergeMacro.self, IndexMacro.self, UniqueMacro.self, PrimaryKeyMacro.self,
  ]
}

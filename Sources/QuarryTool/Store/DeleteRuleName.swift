import ArgumentParser
import QuarryBackend

/// A delete rule in the form of the command line.
enum DeleteRuleName: String, CaseIterable, ExpressibleByArgument {
  case cascade, nullify, deny

  var rule: PropertySchema.Reference.DeleteRule {
    switch self {
    case .cascade: .cascade
    case .nullify: .nullify
    case .deny: .deny
    }
  }
}

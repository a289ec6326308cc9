import QuarryBackend
import QuarryConformanceKit

/// One case for each capability: offered, it works; not offered, it is refused by its name, with no effect.
enum RefusalCases {
  static let all: [ConformanceCase] = Capability.allCases.compactMap { capability in
    let probe = CapabilityProbe(capability)
    guard probe.attempt != nil else { return nil }
    return ConformanceCase(
      "CAP.declared.\(capability.rawValue)", ["CAP-1", "CAP-2", "CAP-3"],
      "\(capability.rawValue) works or is refused with no effect, as the manifest declares."
    ) { kit in
      try probe.inspect(kit)
    }
  }
}

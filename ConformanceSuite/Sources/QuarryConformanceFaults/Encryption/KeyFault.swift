import QuarryConformance

/// Sealed stores in flat files that are opened, rekeyed, sealed and copied wrongly.
enum KeyFault: String, FaultGroup {
  static let group = "key"

  case keyRemembered, readerNeedsNoKey, secondOpeningNeedsNoKey, needlessKeyIgnored, needlessKeyEncrypts
  case noKeyIsWrongKey, noKeyIsCorrupt, wrongKeyIsKeyRequired, needlessKeyIsWrongKey
  case wrongKeyLeavesFile, wrongKeyWrites, sealedReplaced
  case damagedSlotsAreWrongKey, checkSilent, slotUntold, slotDerivation
  case namesBeside, compactionLeavesPlain, backupPlain, quarantinePlain
  case rekeyDoesNothing, rekeyKeepsOldKey, fullOnlyWraps, wrappingWritesAll, rekeyCloses, rekeyLosesObject
  case rekeyOfReaderSilent, rekeyOfPlainSilent
  case encryptDoesNothing, encryptKeepsPlain, encryptLosesObject, encryptOfOpenSilent, encryptOfSealedSilent
  case encryptOfNothingMakes, decryptDoesNothing, decryptWithAnyKey, decryptOfPlainSilent
  case plainCopyMeanwhile, replacedInTwoSteps

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .keyRemembered: ("A store that was opened with a key opens without one.", ["ENC-2"])
    case .readerNeedsNoKey: ("A store that was opened with a key opens for reading without one.", ["ENC-2"])
    case .secondOpeningNeedsNoKey: ("A sealed store that is open is opened again without a key.", ["ENC-2"])
    case .needlessKeyIgnored: ("A key that is given for a plain store is ignored.", ["ENC-2"])
    case .needlessKeyEncrypts: ("A plain store that is opened with a key is sealed with it.", ["ENC-2"])
    case .noKeyIsWrongKey: ("A sealed store without a key is wrongKey.", ["ENC-2"])
    case .noKeyIsCorrupt: ("A sealed store without a key is corrupt.", ["ENC-2"])
    case .wrongKeyIsKeyRequired: ("A sealed store with another key is keyRequired.", ["ENC-2"])
    case .needlessKeyIsWrongKey: ("A plain store with a key is wrongKey.", ["ENC-2"])
    case .wrongKeyLeavesFile: ("A wrong key leaves a file beside the store.", ["ENC-2"])
    case .wrongKeyWrites: ("A wrong key writes to the store's file.", ["ENC-2"])
    case .sealedReplaced: ("Without a key, a sealed store is replaced by a new one.", ["ENC-2"])
    case .damagedSlotsAreWrongKey: ("Both slots of the key damaged are wrongKey.", ["ENC-8"])
    case .checkSilent: ("A check says nothing of a damaged slot.", ["ENC-8"])
    case .slotUntold: ("A sealed store says that it has no key.", ["ENC-1"])
    case .slotDerivation: ("A passphrase is told as a key of bytes.", ["ENC-1"])
    case .namesBeside: ("A commit leaves the names of the models in a file beside the store.", ["ENC-3"])
    case .compactionLeavesPlain: ("A compaction leaves a plain copy beside the store.", ["ENC-3", "ENC-7"])
    case .backupPlain: ("A backup of a sealed store is plain.", ["ENC-7"])
    case .quarantinePlain: ("A sealed store that is put aside is plain.", ["ENC-7"])
    case .rekeyDoesNothing: ("A change of the key changes nothing.", ["ENC-5"])
    case .rekeyKeepsOldKey: ("After a change of the key the old one opens the store, too.", ["ENC-5"])
    case .fullOnlyWraps: ("A full change of the key leaves everything sealed as it was.", ["ENC-5"])
    case .wrappingWritesAll: ("A change of the wrapping alone writes everything anew.", ["ENC-5"])
    case .rekeyCloses: ("A change of the key closes the store.", ["ENC-5"])
    case .rekeyLosesObject: ("A change of the key loses the first object of each model.", ["ENC-5"])
    case .rekeyOfReaderSilent: ("A change of the key of a reader does nothing, and says nothing.", ["ENC-5"])
    case .rekeyOfPlainSilent: ("A change of the key of a plain store does nothing, and says nothing.", ["ENC-5"])
    case .encryptDoesNothing: ("A plain store that is sealed stays plain.", ["ENC-6"])
    case .encryptKeepsPlain: ("A plain copy is kept of a store that is sealed.", ["ENC-6"])
    case .encryptLosesObject: ("A store that is sealed loses the first object of each model.", ["ENC-6"])
    case .encryptOfOpenSilent: ("A store that is open is not sealed, and nothing is said.", ["ENC-6"])
    case .encryptOfSealedSilent: ("A sealed store is not sealed again, and nothing is said.", ["ENC-6"])
    case .encryptOfNothingMakes: ("Where there is no store, one is made to be sealed.", ["ENC-6"])
    case .decryptDoesNothing: ("A sealed store that is made plain stays sealed.", ["ENC-6"])
    case .decryptWithAnyKey: ("A store that was opened is made plain with every key.", ["ENC-6", "ENC-2"])
    case .decryptOfPlainSilent: ("A plain store is made plain, and nothing is said.", ["ENC-6"])
    case .plainCopyMeanwhile: ("While a store is sealed, a plain copy lies beside it.", ["ENC-6"])
    case .replacedInTwoSteps:
      ("A store that is sealed or made plain is away before the new one has its place.", ["ENC-6"])
    }
  }

  /// Whether the fault shows when its process is killed, and else never.
  var needsKilledProcess: Bool {
    switch self {
    case .plainCopyMeanwhile, .replacedInTwoSteps: true
    default: false
    }
  }

  var target: PlantedFault.Target { .backend { SealedFileHarness(key: self) } }
}

/// All cases of this version of the kit.
public enum ConformanceSuite {
  /// The kit's version, which reports name.
  public static let version = "0.3"
}

extension Value: CustomStringConvertible {
  /// The literal of the value, as predicates are written. Foundation's own text of a date ends the process for one that
  /// is millions of years away.
  public var description: String { ValueText.literal(self) }

  /// The value for a message: its literal, cut when it is long.
  package var text: String { ValueText.literal(self).shortened }
}

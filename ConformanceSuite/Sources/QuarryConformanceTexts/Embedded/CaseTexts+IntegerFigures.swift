// scripts/embed-cases writes this file from ConformanceSuite/Texts/IntegerFigures.case.

extension CaseTexts {
  /// The text of IntegerFigures.case.
  static let integerFigures = #"""
    # Sums and averages of integers: docs/contract.md, AGG.

    model Figure
    id int64 key
    number int64 optional
    unsigned uint64 optional
    index number

    case AGG.integer-sum AGG-2
    Integers are added exactly at both ends of the range.

    lists Figure number -> sum(number)
    9223372036854775807                                              -> 9223372036854775807
    -9223372036854775808                                             -> -9223372036854775808
    9223372036854775807, -9223372036854775808                        -> -1
    9223372036854775807, 1, -1                                       -> 9223372036854775807
    9223372036854775807, 9223372036854775807, -9223372036854775808, -9223372036854775808 -> -2
    -9223372036854775808, -1, 1                                      -> -9223372036854775808
    9007199254740992, 1                                              -> 9007199254740993
    nil, 5, nil                                                      -> 5
    none                                                             -> nil
    nil                                                              -> nil

    case AGG.integer-overflow AGG-2
    A total that does not fit is invalidValue.

    lists Figure number -> sum(number)
    9223372036854775807, 1                                          -> error invalidValue
    -9223372036854775808, -1                                        -> error invalidValue
    -9223372036854775808, -9223372036854775808, 9223372036854775807 -> error invalidValue
    9223372036854775807, 9223372036854775807                        -> error invalidValue

    # The objects are there all the same.
    lists Figure number -> count
    9223372036854775807, 1                                          -> 2
    -9223372036854775808, -9223372036854775808, 9223372036854775807 -> 3

    case AGG.integer-average AGG-3 AGG-1
    The average of integers is a Double.

    lists Figure number -> average(number)
    1, 2                                       -> 1.5
    nil, -3, nil                               -> -3
    nil                                        -> nil
    9223372036854775807, 9223372036854775807   -> 9223372036854775808
    -9223372036854775808, -9223372036854775808 -> -9223372036854775808
    9223372036854775807, -9223372036854775808  -> -0.5
    1, 1, 2, 2, 4                              -> 2
    """#
}

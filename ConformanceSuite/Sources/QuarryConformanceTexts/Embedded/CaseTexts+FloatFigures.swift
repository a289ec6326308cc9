// scripts/embed-cases writes this file from ConformanceSuite/Texts/FloatFigures.case.

extension CaseTexts {
  /// The text of FloatFigures.case.
  static let floatFigures = #"""
    # Figures of Doubles and Floats: docs/contract.md, AGG-3.

    model Figure
    id int64 key
    value double optional
    ratio float optional
    index -value

    case AGG.double-sum AGG-3
    A sum of Doubles is the exact sum rounded once, in any order.

    lists Figure value -> sum(value)
    1e100, 1, -1e100                                                 -> 1
    -1e100, 1, 1e100                                                 -> 1
    1, -1e100, 1e100                                                 -> 1
    0.1, 0.2, 0.3                                                    -> 0.6
    0.3, 0.2, 0.1                                                    -> 0.6
    0.2, 0.3, 0.1                                                    -> 0.6
    1e308, 1e308, -1e308                                             -> 1e308
    -1e308, 1e308, 1e308                                             -> 1e308
    1e308, -1e308, 1e308                                             -> 1e308
    1.7976931348623157e308, 1.7976931348623157e308, -1.7976931348623157e308 -> 1.7976931348623157e308
    -1.7976931348623157e308, 1.7976931348623157e308, 1.7976931348623157e308 -> 1.7976931348623157e308
    1.7976931348623157e308, -1.7976931348623157e308, 1.7976931348623157e308 -> 1.7976931348623157e308
    1, double '0x1p-53', double '0x1p-53'                            -> double '0x1.0000000000001p0'
    double '0x1p-53', double '0x1p-53', 1                            -> double '0x1.0000000000001p0'
    9007199254740992, 1, double '0x1p-60'                            -> 9007199254740994
    double '0x1p-60', 1, 9007199254740992                            -> 9007199254740994
    1, double '0x1p-60', 9007199254740992                            -> 9007199254740994
    5e-324, 5e-324                                                   -> 1e-323
    1.7976931348623157e308, double '0x1p969'                         -> 1.7976931348623157e308
    double '0x1p969', 1.7976931348623157e308                         -> 1.7976931348623157e308
    1.7976931348623157e308, double '0x1p970'                         -> double 'inf'
    double '0x1p970', 1.7976931348623157e308                         -> double 'inf'
    -1.7976931348623157e308, -1e308                                  -> double '-inf'
    -1e308, -1.7976931348623157e308                                  -> double '-inf'

    case AGG.double-special AGG-3
    NaN, or infinities of both signs, give NaN; one infinity itself.

    lists Figure value -> sum(value), average(value)
    1, double 'nan'                       -> double 'nan' | double 'nan'
    double 'inf', double '-inf'           -> double 'nan' | double 'nan'
    double 'inf', 1, double 'inf'         -> double 'inf' | double 'inf'
    double '-inf', 1.7976931348623157e308 -> double '-inf' | double '-inf'
    nil, double 'nan', nil                -> double 'nan' | double 'nan'
    double 'inf', double 'nan'            -> double 'nan' | double 'nan'

    case AGG.double-average AGG-3
    The average of Doubles does not overflow on its way.

    lists Figure value -> average(value)
    1, 2, 6          -> 3
    nil, 2.5         -> 2.5
    1e100, 3, -1e100 -> 1
    double '-0.0'    -> 0

    case AGG.average-exact AGG-3
    An average is rounded once, to a Double.

    lists Figure value -> average(value)
    0.1, 0.1, 0.1 -> 0.1

    case AGG.average-of-greatest AGG-7 AGG-3
    An average of the greatest numbers is one of them, though their sum is none.
    without savepoint replayed otherThread rowByRow reopened

    lists Figure value -> average(value)
    1.7976931348623157e308, 1.7976931348623157e308                   -> 1.7976931348623157e308
    1.7976931348623157e308, 1.7976931348623157e308, 1.7976931348623157e308 -> 1.7976931348623157e308
    1.7976931348623157e308, 1.7976931348623157e308, 1.7976931348623157e308, 1.7976931348623157e308, 1.7976931348623157e308 -> 1.7976931348623157e308
    -1.7976931348623157e308, -1.7976931348623157e308                 -> -1.7976931348623157e308
    -1.7976931348623157e308, -1.7976931348623157e308, -1.7976931348623157e308 -> -1.7976931348623157e308
    -1.7976931348623157e308, -1.7976931348623157e308, -1.7976931348623157e308, -1.7976931348623157e308, -1.7976931348623157e308 -> -1.7976931348623157e308

    lists Figure ratio -> average(ratio)
    float '3.4028235e38', float '3.4028235e38'                       -> double '0x1.fffffep127'
    float '3.4028235e38', float '3.4028235e38', float '3.4028235e38' -> double '0x1.fffffep127'
    float '3.4028235e38', float '3.4028235e38', float '3.4028235e38', float '3.4028235e38', float '3.4028235e38' -> double '0x1.fffffep127'
    float '-3.4028235e38', float '-3.4028235e38'                     -> double '-0x1.fffffep127'
    float '-3.4028235e38', float '-3.4028235e38', float '-3.4028235e38' -> double '-0x1.fffffep127'
    float '-3.4028235e38', float '-3.4028235e38', float '-3.4028235e38', float '-3.4028235e38', float '-3.4028235e38' -> double '-0x1.fffffep127'

    case AGG.float-sum AGG-3
    A sum of Floats is rounded once, to a Float.

    lists Figure ratio -> sum(ratio)
    16777216, 1, 1                             -> 16777218
    1, float '0x1p-24', float '0x1p-60'        -> float '0x1.000002p0'
    float '1e38', float '3e38', float '-3e38'  -> float '1e38'
    float '3.4028235e38', float '3.4028235e38' -> float 'inf'

    case AGG.nan-extremes SORT-3 AGG-1
    NaN is greater than infinity, and the least of NaN alone.

    rows Figure
    id | value
     0 | double 'nan'
     1 | double '-inf'
     2 | double 'inf'
     3 | nil

    figures Figure
    min(value), max(value)    -> double '-inf' | double 'nan'
    min(value); where id == 0 -> double 'nan'
    """#
}

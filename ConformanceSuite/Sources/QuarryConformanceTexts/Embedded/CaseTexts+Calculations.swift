// scripts/embed-cases writes this file from ConformanceSuite/Texts/Calculations.case.

extension CaseTexts {
  /// The text of Calculations.case.
  static let calculations = #"""
    # Arithmetic and lengths in conditions: docs/contract.md, PRED-13 and PRED-14.

    case PRED.calculated.edges PRED-13
    Results that do not overflow, those that are nothing, and those that round.

    model Figure
    id int64 key
    number int64 optional
    unsigned uint64 optional
    price decimal optional
    small int8
    index number

    rows Figure
    id |               number |             unsigned | price                                         | small
     1 |  9223372036854775807 | 18446744073709551615 | '340282366920938463463374607431768211455e127' |   127
     2 | -9223372036854775808 |                    0 | 300000000000000000000000000000000000001       |  -128
     3 |                   -7 |                    2 | 0.5                                           |     2
     4 |                  nil |                  nil | nil                                           |     0

    keys Figure
    # Integers are calculated with 128 bits: what overflows 64 has a result.
    where small + 1 == 128                                       -> 1
    where small * small > 16000                                  -> 1, 2
    where -number == 9223372036854775808                         -> 2
    where number * 2 > 9223372036854775807                       -> 1
    where number - 1 < -9223372036854775808                      -> 2
    where unsigned + 1 == 18446744073709551616.0                 -> 1
    where unsigned - 3 < 0                                       -> 2, 3
    # What is beyond 128 bits is nil.
    where unsigned * unsigned == nil                             -> 1, 4
    where unsigned * unsigned > 0                                -> 3
    # A quotient and a remainder of zero are nil.
    where number / unsigned == nil                               -> 2, 4
    where number % 0 == nil                                      -> 1, 2, 3, 4
    where number / 0 != 1                                        -> 1, 2, 3, 4
    # Quotients are cut towards zero, and a remainder has the sign of what is divided.
    where number / 2 == -3                                       -> 3
    where number % 2 == -1                                       -> 3
    where -number / 2 == 3                                       -> 3
    where number % -1 == 0                                       -> 1, 2, 3
    where number / -1 == 9223372036854775808                     -> 2
    # What is beyond the greatest decimal is nil, and digits for which there is no room are rounded.
    where price + price == nil                                   -> 1, 4
    where price * 10 == nil                                      -> 1, 4
    where price + 0.4 == price                                   -> 1, 2, 4
    where price + 0.5 == 300000000000000000000000000000000000002 -> 2
    where price * 2 == 1                                         -> 3
    where small + 0.5 == 2.5                                     -> 3
    # What is calculated from nil is nil.
    where number + nil == nil                                    -> 1, 2, 3, 4
    where NOT number + 1 > 0                                     -> 2, 3, 4

    case PRED.calculated.lengths PRED-14 NEST-1 PRED-1 PRED-3
    The length of a string is that of its characters, of data that of its bytes, of an array that of its elements.

    model Measured
    id int64 key
    text string optional
    bytes data optional
    list array of int64 optional
    number int64 optional
    index text
    index bytes
    index number

    # A character is what a reader takes for one: a line's end of two scalars, a letter with its accent, a flag.
    rows Measured
    id | text                          | bytes          | list      | number
     0 | ''                            | ''             | {}        |      0
     1 | 'a'                           | 'Bw=='         | {0}       |      1
     2 | '\r\n'                        | 'Bwc='         | {0, 1}    |      2
     3 | 'e\u{301}'                    | nil            | {0, 1, 2} |      0
     4 | '\u{E9}'                      | 'BwcHBw=='     | {}        |      1
     5 | '\u{1F469}\u{200D}\u{1F4BB}x' | 'BwcHBwc='     | {0}       |      2
     6 | 'a\0b'                        | 'BwcHBwcH'     | {0, 1}    |      0
     7 | '\u{1F1E9}\u{1F1EA}'          | 'BwcHBwcHBw==' | {0, 1, 2} |      1
     8 | nil                           | 'BwcHBwcHBwc=' | {}        |      2

    keys Measured
    where text.@count == -1                  -> none
    where text.@count == 0                   -> 0
    where text.@count == 1                   -> 1, 2, 3, 4, 7
    where text.@count == 1.5                 -> none
    where text.@count == 2                   -> 5
    where text.@count == nil                 -> 8
    where text.@count != -1                  -> 0, 1, 2, 3, 4, 5, 6, 7, 8
    where text.@count != 0                   -> 1, 2, 3, 4, 5, 6, 7, 8
    where text.@count != 1                   -> 0, 5, 6, 8
    where text.@count != 1.5                 -> 0, 1, 2, 3, 4, 5, 6, 7, 8
    where text.@count != 2                   -> 0, 1, 2, 3, 4, 6, 7, 8
    where text.@count != nil                 -> 0, 1, 2, 3, 4, 5, 6, 7
    where text.@count < -1                   -> none
    where text.@count < 0                    -> none
    where text.@count < 1                    -> 0
    where text.@count < 1.5                  -> 0, 1, 2, 3, 4, 7
    where text.@count < 2                    -> 0, 1, 2, 3, 4, 7
    where text.@count < nil                  -> none
    where text.@count <= -1                  -> none
    where text.@count <= 0                   -> 0
    where text.@count <= 1                   -> 0, 1, 2, 3, 4, 7
    where text.@count <= 1.5                 -> 0, 1, 2, 3, 4, 7
    where text.@count <= 2                   -> 0, 1, 2, 3, 4, 5, 7
    where text.@count <= nil                 -> none
    where text.@count > -1                   -> 0, 1, 2, 3, 4, 5, 6, 7
    where text.@count > 0                    -> 1, 2, 3, 4, 5, 6, 7
    where text.@count > 1                    -> 5, 6
    where text.@count > 1.5                  -> 5, 6
    where text.@count > 2                    -> 6
    where text.@count > nil                  -> none
    where text.@count >= -1                  -> 0, 1, 2, 3, 4, 5, 6, 7
    where text.@count >= 0                   -> 0, 1, 2, 3, 4, 5, 6, 7
    where text.@count >= 1                   -> 1, 2, 3, 4, 5, 6, 7
    where text.@count >= 1.5                 -> 5, 6
    where text.@count >= 2                   -> 5, 6
    where text.@count >= nil                 -> none
    where 1 < text.@count                    -> 5, 6
    where 1 >= text.@count                   -> 0, 1, 2, 3, 4, 7
    where 18446744073709551615 > text.@count -> 0, 1, 2, 3, 4, 5, 6, 7
    where nil == text.@count                 -> 8
    where text.@count == number              -> 0, 1, 4, 5, 7
    where text.@count != number              -> 2, 3, 6, 8
    where text.@count < number               -> 2
    where text.@count <= number              -> 0, 1, 2, 4, 5, 7
    where text.@count > number               -> 3, 6
    where text.@count >= number              -> 0, 1, 3, 4, 5, 6, 7
    where text.@count == list.@count         -> 0, 1
    where text.@count != list.@count         -> 2, 3, 4, 5, 6, 7, 8
    where text.@count < list.@count          -> 2, 3, 7
    where text.@count * 2 == number          -> 0, 2
    where text.@count * 2 < number           -> none
    where text.@count * 2 >= number          -> 0, 1, 2, 3, 4, 5, 6, 7
    where text.@count IN {1, 3, nil}         -> 1, 2, 3, 4, 6, 7, 8
    where text.@count IN {0}                 -> 0

    keys Measured
    where bytes.@count == 0                   -> 0
    where bytes.@count == 2                   -> 2
    where bytes.@count == 2.5                 -> none
    where bytes.@count != 0                   -> 1, 2, 3, 4, 5, 6, 7, 8
    where bytes.@count != 2                   -> 0, 1, 3, 4, 5, 6, 7, 8
    where bytes.@count != 2.5                 -> 0, 1, 2, 3, 4, 5, 6, 7, 8
    where bytes.@count < 0                    -> none
    where bytes.@count < 2                    -> 0, 1
    where bytes.@count < 2.5                  -> 0, 1, 2
    where bytes.@count <= 0                   -> 0
    where bytes.@count <= 2                   -> 0, 1, 2
    where bytes.@count <= 2.5                 -> 0, 1, 2
    where bytes.@count > 0                    -> 1, 2, 4, 5, 6, 7, 8
    where bytes.@count > 2                    -> 4, 5, 6, 7, 8
    where bytes.@count > 2.5                  -> 4, 5, 6, 7, 8
    where bytes.@count >= 0                   -> 0, 1, 2, 4, 5, 6, 7, 8
    where bytes.@count >= 2                   -> 2, 4, 5, 6, 7, 8
    where bytes.@count >= 2.5                 -> 4, 5, 6, 7, 8
    where 1 < bytes.@count                    -> 2, 4, 5, 6, 7, 8
    where 1 >= bytes.@count                   -> 0, 1
    where 18446744073709551615 > bytes.@count -> 0, 1, 2, 4, 5, 6, 7, 8
    where nil == bytes.@count                 -> 3
    where bytes.@count == number              -> 0, 1, 2
    where bytes.@count != number              -> 3, 4, 5, 6, 7, 8
    where bytes.@count < number               -> none
    where bytes.@count <= number              -> 0, 1, 2
    where bytes.@count > number               -> 4, 5, 6, 7, 8
    where bytes.@count >= number              -> 0, 1, 2, 4, 5, 6, 7, 8
    where bytes.@count == list.@count         -> 0, 1, 2
    where bytes.@count != list.@count         -> 3, 4, 5, 6, 7, 8
    where bytes.@count < list.@count          -> none
    where bytes.@count * 2 == number          -> 0
    where bytes.@count * 2 < number           -> none
    where bytes.@count * 2 >= number          -> 0, 1, 2, 4, 5, 6, 7, 8
    where bytes.@count IN {1, 3, nil}         -> 1, 3
    where bytes.@count IN {0}                 -> 0

    keys Measured
    where list.@count == 0                   -> 0, 4, 8
    where list.@count == 2                   -> 2, 6
    where list.@count == 2.5                 -> none
    where list.@count != 0                   -> 1, 2, 3, 5, 6, 7
    where list.@count != 2                   -> 0, 1, 3, 4, 5, 7, 8
    where list.@count != 2.5                 -> 0, 1, 2, 3, 4, 5, 6, 7, 8
    where list.@count < 0                    -> none
    where list.@count < 2                    -> 0, 1, 4, 5, 8
    where list.@count < 2.5                  -> 0, 1, 2, 4, 5, 6, 8
    where list.@count <= 0                   -> 0, 4, 8
    where list.@count <= 2                   -> 0, 1, 2, 4, 5, 6, 8
    where list.@count <= 2.5                 -> 0, 1, 2, 4, 5, 6, 8
    where list.@count > 0                    -> 1, 2, 3, 5, 6, 7
    where list.@count > 2                    -> 3, 7
    where list.@count > 2.5                  -> 3, 7
    where list.@count >= 0                   -> 0, 1, 2, 3, 4, 5, 6, 7, 8
    where list.@count >= 2                   -> 2, 3, 6, 7
    where list.@count >= 2.5                 -> 3, 7
    where 1 < list.@count                    -> 2, 3, 6, 7
    where 1 >= list.@count                   -> 0, 1, 4, 5, 8
    where 18446744073709551615 > list.@count -> 0, 1, 2, 3, 4, 5, 6, 7, 8
    where nil == list.@count                 -> none
    where list.@count == number              -> 0, 1, 2
    where list.@count != number              -> 3, 4, 5, 6, 7, 8
    where list.@count < number               -> 4, 5, 8
    where list.@count <= number              -> 0, 1, 2, 4, 5, 8
    where list.@count > number               -> 3, 6, 7
    where list.@count >= number              -> 0, 1, 2, 3, 6, 7
    where list.@count * 2 == number          -> 0, 5
    where list.@count * 2 < number           -> 4, 8
    where list.@count * 2 >= number          -> 0, 1, 2, 3, 5, 6, 7
    where list.@count IN {1, 3, nil}         -> 1, 3, 5, 7
    where list.@count IN {0}                 -> 0, 4, 8
    """#
}

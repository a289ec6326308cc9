// scripts/embed-cases writes this file from ConformanceSuite/Texts/Values.case.

extension CaseTexts {
  /// The text of Values.case.
  static let values = #"""
    # Values: docs/contract.md, VAL.

    case VAL.float-bits VAL-1
    Floats and Doubles keep all bits, NaN payloads too.

    model Figure
    id int64 key
    value double optional
    ratio float optional
    index -value

    rows Figure
    id | value                       | ratio
     0 | double '0x7ff8000000000000' | float '0x7fc00000'
     1 | double '0x7ff8000000000001' | float '0x7fc00001'
     2 | double '0xffffffffffffffff' | float '0xffffffff'
     3 | double '0x7ff0000000000001' | float '0xffc00000'
     4 | double '0x8000000000000000' | float '0x80000000'
     5 | double '0x1'                | float '0x1'
     6 | double '0xfff0000000000000' | float '0xff800000'
     7 | double '0xfff7ffffffffffff' | float '0x7fffffff'

    query Figure
    columns id, value, ratio
    ----
    0 | double '0x7ff8000000000000' | float '0x7fc00000'
    1 | double '0x7ff8000000000001' | float '0x7fc00001'
    2 | double '0xffffffffffffffff' | float '0xffffffff'
    3 | double '0x7ff0000000000001' | float '0xffc00000'
    4 | double '0x8000000000000000' | float '0x80000000'
    5 | double '0x1'                | float '0x1'
    6 | double '0xfff0000000000000' | float '0xff800000'
    7 | double '0xfff7ffffffffffff' | float '0x7fffffff'

    case VAL.empty-and-nil VAL-3 PRED-1
    Empty and nil are different, stored and asked for.

    model Everything
    id int64 key
    text string optional
    bytes data optional
    numbers array of double optional
    words array of string optional
    place nested optional

    rows Everything
    id | text | bytes | numbers | words | place
     0 | nil  | nil   | nil     | nil   | nil
     1 | ''   | ''    | {}      | {}    | {:}

    keys Everything
    where text == nil       -> 0
    where bytes == nil      -> 0
    where numbers == nil    -> 0
    where words == nil      -> 0
    where place == nil      -> 0
    where text == ''        -> 1
    where bytes == ''       -> 1
    where numbers == {}     -> 1
    where words == {}       -> 1
    where words.@count == 0 -> 1
    where place == {:}      -> 1

    case VAL.decimal-by-value VAL-1 IDX-3
    Decimals of one value are one value.

    model Figure
    id int64 key
    price decimal optional

    rows Figure
    id | price
     0 | '2.5'
     1 | '2.50'
     2 | '25e-1'

    keys Figure
    where price == 2.500 -> 0, 1, 2

    query Figure
    group price
    figures count
    ----
    2.5 | 3
    """#
}

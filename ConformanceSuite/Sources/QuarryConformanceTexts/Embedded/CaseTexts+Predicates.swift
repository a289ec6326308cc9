// scripts/embed-cases writes this file from ConformanceSuite/Texts/Predicates.case.

extension CaseTexts {
  /// The text of Predicates.case.
  static let predicates = #"""
    # Conditions: docs/contract.md, PRED.

    case PRED.three-conditions PRED-4
    Each of three conditions counts in AND and in OR.

    model Item
    id int64 key
    rank int64 optional
    name string
    score double
    index rank
    index name -score

    rows Item
    id | rank | name | score
     0 |    0 | ''   |     0
     1 |    1 | ''   |     0
     2 |    0 | 'x'  |     0
     3 |    1 | 'x'  |     0
     4 |    0 | ''   |     1
     5 |    1 | ''   |     1
     6 |    0 | 'x'  |     1
     7 |    1 | 'x'  |     1

    keys Item
    where rank == 1 AND name == 'x' AND score == 1     -> 7
    where rank == 1 OR name == 'x' OR score == 1       -> 1, 2, 3, 4, 5, 6, 7
    where NOT (rank == 1 OR name == 'x' OR score == 1) -> 0

    case PRED.decimal-edges PRED-6 PRED-8
    Literals at the ends of what a decimal can be, and beyond them, are compared by their values.

    model Priced
    id int64 key
    price decimal

    rows Priced
    id | price
     0 | '-9e127'
     1 | 0
     2 | '1e-128'
     3 | 1
     4 | '1e127'
     5 | '9e127'

    keys Priced
    where price == '1e127'            -> 4
    where price == '10e126'           -> 4
    where price == '0.1e128'          -> 4
    where price > '1e127'             -> 5
    where price == '-9e127'           -> 0
    where price == '1e-128'           -> 2
    where price < '1e-128'            -> 0, 1
    where price IN {'1e127', '9e127'} -> 4, 5
    where price == '1e128'            -> error invalidQuery
    where price == '10e127'           -> error invalidQuery
    where price == '-1e128'           -> error invalidQuery
    where price == '1e-129'           -> error invalidQuery
    where price == '0.1e-128'         -> error invalidQuery

    # Literals without quotation marks: 1e127, 1e128 and -1e128 with all their digits.
    keys Priced
    where price == 10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 -> 4
    where price > 10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 -> 5
    where price < 100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 -> 0, 1, 2, 3, 4, 5
    where price > -100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 -> 0, 1, 2, 3, 4, 5
    where price >= 100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 -> none

    case PRED.literals PRED-8
    A quoted literal is read as the property's type.

    model Typed
    id int64 key
    token uuid
    day date
    price decimal
    link url
    bytes data

    rows Typed
    id | token                                  | day                    | price | link       | bytes
     1 | 'A0000000-1234-5678-9ABC-DEF012345678' | '2001-01-01T00:00:00Z' |   2.5 | 'http://a' | 'AAE='

    keys Typed
    where token == 'a0000000-1234-5678-9abc-def012345678' -> 1
    where token == 'no UUID'                              -> error invalidQuery
    where day == '2001-01-01T00:00:00Z'                   -> 1
    where day == 'yesterday'                              -> error invalidQuery
    where price == '2.50'                                 -> 1
    where price == 'much'                                 -> error invalidQuery
    where link == 'http://a'                              -> 1
    where link == ''                                      -> error invalidQuery
    where bytes == 'AAE='                                 -> 1
    where bytes == '?'                                    -> error invalidQuery

    case PRED.no-url PRED-8
    A text that is no URL is not read as the URL that is nearest to it.

    model Linked
    id int64 key
    link url optional
    index link

    rows Linked
    id | link
     1 | 'http://a/b%20c'
     2 | 'http://a/%C3%A9'
     3 | 'http://a/%25'
     4 | nil

    keys Linked
    where link == 'http://a/b%20c'               -> 1
    where link == 'http://a/%25'                 -> 3
    where link == 'http://a/b c'                 -> error invalidQuery
    where link != 'http://a/b c'                 -> error invalidQuery
    where link > 'http://a/\u{E9}'               -> error invalidQuery
    where link == 'http://a/%'                   -> error invalidQuery
    where link IN {'http://a/%25', 'http://a/%'} -> error invalidQuery
    where link BEGINSWITH 'http://a/b c'         -> none

    case PRED.unknown-property PRED-9
    An unknown property is invalidQuery with the nearest name.

    model Item
    id int64 key
    name string
    score double

    keys Item
    where scroe > 1 -> error invalidQuery score
    order nmae      -> error invalidQuery name

    case PRED.no-parse PRED-9
    Text that does not parse is invalidQuery.

    model Item
    id int64 key
    name string
    score double

    keys Item
    where                 -> error invalidQuery
    where score >         -> error invalidQuery
    where score ? 1       -> error invalidQuery
    where (score > 1      -> error invalidQuery
    where score > 1 AND   -> error invalidQuery
    where name == 'a      -> error invalidQuery
    where score > %@      -> error invalidQuery
    where score > SELF.`` -> error invalidQuery

    case FRONT.self-beside-elements PRED-15 NEST-1
    SELF is an element inside the parentheses of ANY, ALL and NONE, and the object before and after them.

    model Item
    id int64 key
    name string
    tags array of string

    rows Item
    id | name | tags
     1 | 'a'  | {'a', 'b'}
     2 | 'b'  | {'a'}
     3 | 'a'  | {'c'}
     4 | 'b'  | {}

    keys Item
    where ANY tags (SELF == 'a') AND SELF.name == 'a'                -> 1
    where SELF.name == 'a' AND ANY tags (SELF == 'a')                -> 1
    where ANY tags (SELF == 'a') AND ANY SELF.tags (SELF == 'b')     -> 1
    where (ANY tags (SELF == 'a') OR ALL tags (SELF == 'c')) AND NOT SELF.name == 'b' -> 1, 3
    where NONE tags (SELF == 'a') AND SELF.name == 'b'               -> 4
    where ANY tags (SELF == 'a') AND SELF == 'a'                     -> error invalidQuery
    where SELF == 'a' AND ANY tags (SELF == 'a')                     -> error invalidQuery
    where SELF == 'a'                                                -> error invalidQuery

    case IDX.bounds IDX-4 PRED-3 PRED-6
    Ranges of an index have the bounds that were asked for.

    model Item
    id int64 key
    rank int64 optional
    index rank

    rows Item
    id | rank
     0 |    0
     1 |    1
     2 |    2
     3 |    3
     4 |    4
     5 |    5
     6 |    6
     7 |    7
     8 |    8
     9 |    9
    10 |  nil

    keys Item
    where rank >= 7               -> 7, 8, 9
    where rank > 7                -> 8, 9
    where rank <= 2               -> 0, 1, 2
    where rank < 2                -> 0, 1
    where rank >= 3 AND rank <= 5 -> 3, 4, 5
    where id >= 3 AND id < 5      -> 3, 4
    """#
}

// scripts/embed-cases writes this file from ConformanceSuite/Texts/Text.case.

extension CaseTexts {
  /// The text of Text.case.
  static let text = #"""
    # Comparisons of text: docs/contract.md, TEXT.

    case TEXT.fixed TEXT-1 TEXT-2 TEXT-5
    Folding and bytes as they are known.

    model Item
    id int64 key
    name string
    index name

    rows Item
    id | name
     0 | 'caf\u{E9}'
     1 | 'CAFE\u{301}'
     2 | 'cafe'
     3 | 'I'
     4 | '\u{131}'
     5 | 'STRASSE'
     6 | 'stra\u{DF}e'
     7 | '100%'
     8 | 'a\0b'

    keys Item
    where name ENDSWITH 'e\u{301}' -> none
    where name == 'caf\u{E9}'      -> 0
    where name ==[cd] 'cafe'       -> 0, 1, 2
    where name ==[c] 'CAFE'        -> 2
    where name ==[d] 'cafe'        -> 0, 2
    where name ==[c] 'i'           -> 3
    where name CONTAINS '%'        -> 7
    where name CONTAINS '\0'       -> 8
    where name LIKE '?0*'          -> 7

    case TEXT.nested-empty-needle TEXT-3 NEST-1
    Elements of an array have an empty needle, too.

    model Item
    id int64 key
    tags array of string

    rows Item
    id | tags
     1 | {'a'}
     2 | {}
     3 | {''}

    keys Item
    where ANY tags CONTAINS ''   -> 1, 3
    where ANY tags BEGINSWITH '' -> 1, 3
    where ANY tags ENDSWITH ''   -> 1, 3

    case TEXT.no-text PRED-8
    Searching in what is no text is invalidQuery.

    model Everything
    id int64 key
    truth bool
    double double
    day date
    bytes data
    token uuid
    price decimal

    keys Everything
    where id ==[c] '1'          -> error invalidQuery
    where id CONTAINS '1'       -> error invalidQuery
    where id BEGINSWITH '1'     -> error invalidQuery
    where id ENDSWITH '1'       -> error invalidQuery
    where id LIKE '1'           -> error invalidQuery
    where truth ==[c] '1'       -> error invalidQuery
    where truth CONTAINS '1'    -> error invalidQuery
    where truth BEGINSWITH '1'  -> error invalidQuery
    where truth ENDSWITH '1'    -> error invalidQuery
    where truth LIKE '1'        -> error invalidQuery
    where double ==[c] '1'      -> error invalidQuery
    where double CONTAINS '1'   -> error invalidQuery
    where double BEGINSWITH '1' -> error invalidQuery
    where double ENDSWITH '1'   -> error invalidQuery
    where double LIKE '1'       -> error invalidQuery
    where day ==[c] '1'         -> error invalidQuery
    where day CONTAINS '1'      -> error invalidQuery
    where day BEGINSWITH '1'    -> error invalidQuery
    where day ENDSWITH '1'      -> error invalidQuery
    where day LIKE '1'          -> error invalidQuery
    where bytes ==[c] '1'       -> error invalidQuery
    where bytes CONTAINS '1'    -> error invalidQuery
    where bytes BEGINSWITH '1'  -> error invalidQuery
    where bytes ENDSWITH '1'    -> error invalidQuery
    where bytes LIKE '1'        -> error invalidQuery
    where token ==[c] '1'       -> error invalidQuery
    where token CONTAINS '1'    -> error invalidQuery
    where token BEGINSWITH '1'  -> error invalidQuery
    where token ENDSWITH '1'    -> error invalidQuery
    where token LIKE '1'        -> error invalidQuery
    where price ==[c] '1'       -> error invalidQuery
    where price CONTAINS '1'    -> error invalidQuery
    where price BEGINSWITH '1'  -> error invalidQuery
    where price ENDSWITH '1'    -> error invalidQuery
    where price LIKE '1'        -> error invalidQuery
    """#
}

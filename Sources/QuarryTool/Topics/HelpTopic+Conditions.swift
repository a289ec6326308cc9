extension HelpTopic {
  static let conditions = HelpTopic(
    name: "conditions",
    abstract: "How --where selects objects and --set changes them.",
    text: """
      CONDITIONS

      --where takes a condition in the syntax of NSPredicate:

        country == 'NO' AND elevation > 1000    comparisons: == != < <= > >=
        NOT (tags.@count > 2 OR city == nil)    AND, OR, NOT and parentheses
        name BEGINSWITH 'San'                   also ENDSWITH, CONTAINS, LIKE
        name LIKE 'S?n*'                        ? is one scalar, * any number of them
        name MATCHES '[A-M].* (City|Town)'      a pattern, as in Swift's Regex; a backslash is written \\\\
        name CONTAINS[cd] 'sao paulo'           [c] ignores case, [d] ignores diacritics
        country IN {'CH', 'NO'}                 one of a list
        elevation BETWEEN {0, 100}              both ends included
        elevation * 2 > length + 10             + - * / and, for integers, %
        ANY tags == 'x'                         also ALL, for arrays and for related objects
        address.city == 'Oslo'                  a member of a nested value
        author.name == 'Ada'                    a property of the object that a reference leads to
        `strange name` == 1                     names with spaces, and reserved words
        TRUEPREDICATE                           every object

      Constants that are neither numbers nor text name their type: date '2026-01-01T00:00:00Z',
      uuid '…', data '…' (base64), url '…', decimal '…', double '…'.

      Text is compared by its UTF-8 bytes. Nil is an ordinary value: it equals nil, and is neither less
      nor greater than any other value.

      In a shell, write the condition in double quotes and text inside it in single quotes:

        quarry count sqlite:airports.db Airport --where "country == 'NO'"

      --set takes a property and a value, or a calculation with the property itself:

        quarry update sqlite:shop.db Item --where "price > 100" --set note=nil --set "stock += 1"

      --sort takes properties, separated by commas. A minus sign reverses the order: --sort -year,title.
      """)
}

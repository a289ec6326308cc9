// scripts/embed-cases writes this file from the names in ConformanceSuite/Texts.

/// The texts of ConformanceSuite/Texts with their names.
enum CaseTexts {
  static let all: [(name: String, text: String)] = [
    ("DecimalFigures.case", decimalFigures),
    ("FigureGroups.case", figureGroups),
    ("FloatFigures.case", floatFigures),
    ("IntegerFigures.case", integerFigures),
    ("Order.case", order),
    ("Predicates.case", predicates),
  ]
}

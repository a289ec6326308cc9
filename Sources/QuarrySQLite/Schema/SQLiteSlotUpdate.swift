/// A statement that writes some slots of the row with a key.
final class SQLiteSlotUpdate {
  let slots: [Int]
  let statement: SQLiteStatement
  let plan: SQLiteBindPlan

  init(_ slots: [Int], _ statement: SQLiteStatement, _ plan: SQLiteBindPlan) {
    self.slots = slots
    self.statement = statement
    self.plan = plan
  }
}

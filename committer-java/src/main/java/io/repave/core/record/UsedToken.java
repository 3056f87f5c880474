package io.repave.core.record;

/**
 * The commit that used a token, as the token's record names it.
 *
 * @param tableId the table in which it was published; "" in older records
 */
public record UsedToken(String tableId, LoggedCommit commit) {
  /**
   * False when the commit belongs to another table, whose records were in the same folder before. A
   * process that was finishing it when that table was dropped may write the record late.
   */
  public boolean isOf(Head head) {
    return tableId.isEmpty() || tableId.equals(head.tableId());
  }
}

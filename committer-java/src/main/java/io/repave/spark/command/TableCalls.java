package io.repave.spark.command;

import java.io.IOException;

/** What {@link TableCommand} calls on a table. */
interface TableCalls {
  /** Opens the table of a path. */
  interface Opener {
    TableCalls open(String path) throws IOException;
  }

  String status() throws IOException, InterruptedException;

  String recover() throws IOException, InterruptedException;

  String vacuum(boolean dryRun, long retentionMillis) throws IOException, InterruptedException;

  String rollback(long version) throws IOException, InterruptedException;

  String dropPartitions(boolean dryRun, String partitions) throws IOException, InterruptedException;

  String dropPartitionsBefore(boolean dryRun, String column, String value)
      throws IOException, InterruptedException;

  String adopt(boolean dryRun) throws IOException, InterruptedException;

  String follow(String follower) throws IOException, InterruptedException;

  String follow(String follower, String name) throws IOException, InterruptedException;

  String refollow(String follower, String name) throws IOException, InterruptedException;

  String unfollow(String follower) throws IOException, InterruptedException;

  String sync() throws IOException, InterruptedException;

  String locations(String follower, String name) throws IOException, InterruptedException;

  String moved(String catalog, String name, String follower, long version)
      throws IOException, InterruptedException;

  String repair() throws IOException, InterruptedException;

  String cancel(String commit) throws IOException, InterruptedException;
}

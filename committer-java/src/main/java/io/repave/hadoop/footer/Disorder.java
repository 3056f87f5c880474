package io.repave.hadoop.footer;

/** Shows that the rows of a file are not in order: {@code later} has a row that sorts earlier. */
public record Disorder(String column, String earlier, String later) {}

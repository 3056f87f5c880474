package io.repave.hadoop.read;

/** The paths that a listing of a snapshot table shows. */
enum ListedPaths {
  /** Folders, and files whose names are not unique, name the version: a query reads one version. */
  OF_VERSION,

  /** No path names a version: a stream sees the same path of a file in every version. */
  OF_TABLE
}

package io.repave.core.engine;

import io.repave.core.record.Readers;

/**
 * What the query of a job reads of the table that the job writes to, as the engine listed it before
 * the job began.
 *
 * @param contents the files that the query reads, without empty ones
 * @param wholeTable whether the query reads every folder that there is, and not only these
 * @param by how the engine found the files: in a listing of the folders, or in a version's records
 */
public record OwnRead(FolderContents contents, boolean wholeTable, Readers by) {}

package io.repave.core.engine;

import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import java.util.function.Predicate;

/**
 * What the query of a job reads of the table that the job writes to, as the engine listed it before
 * the job began.
 *
 * @param contents the files that the query reads, without empty ones
 * @param selects whether the query reads a folder that is new since then
 * @param by how the engine found the files: in a listing of the folders, or in a version's records
 */
public record OwnRead(FolderContents contents, Predicate<Location> selects, Readers by) {}

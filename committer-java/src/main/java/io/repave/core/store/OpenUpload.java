package io.repave.core.store;

/** A multipart upload that was created, but neither completed nor aborted. */
public record OpenUpload(String key, String uploadId, long initiatedMillis) {}

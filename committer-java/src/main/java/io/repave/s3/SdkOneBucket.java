package io.repave.s3;

import com.amazonaws.AmazonServiceException;
import com.amazonaws.AmazonWebServiceRequest;
import com.amazonaws.auth.AWSCredentialsProvider;
import com.amazonaws.services.s3.AmazonS3;
import com.amazonaws.services.s3.model.AbortMultipartUploadRequest;
import com.amazonaws.services.s3.model.AmazonS3Exception;
import com.amazonaws.services.s3.model.CompleteMultipartUploadRequest;
import com.amazonaws.services.s3.model.DeleteObjectsRequest;
import com.amazonaws.services.s3.model.DeleteObjectsRequest.KeyVersion;
import com.amazonaws.services.s3.model.GetObjectMetadataRequest;
import com.amazonaws.services.s3.model.GetObjectRequest;
import com.amazonaws.services.s3.model.InitiateMultipartUploadRequest;
import com.amazonaws.services.s3.model.ListMultipartUploadsRequest;
import com.amazonaws.services.s3.model.ListObjectsV2Request;
import com.amazonaws.services.s3.model.ListObjectsV2Result;
import com.amazonaws.services.s3.model.MultiObjectDeleteException;
import com.amazonaws.services.s3.model.MultipartUpload;
import com.amazonaws.services.s3.model.MultipartUploadListing;
import com.amazonaws.services.s3.model.ObjectMetadata;
import com.amazonaws.services.s3.model.PartETag;
import com.amazonaws.services.s3.model.PutObjectRequest;
import com.amazonaws.services.s3.model.S3Object;
import com.amazonaws.services.s3.model.S3ObjectInputStream;
import com.amazonaws.services.s3.model.S3ObjectSummary;
import com.amazonaws.services.s3.model.UploadPartRequest;
import io.repave.core.store.Content;
import io.repave.core.store.DeleteFailure;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.OpenUpload;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoredObject;
import io.repave.core.store.UploadPage;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.s3a.AWSCredentialProviderList;
import org.apache.hadoop.fs.s3a.S3AFileSystem;

/**
 * A bucket through the AWS SDK for Java 1, Hadoop 3.3. The same requests as {@link SdkTwoBucket}.
 */
final class SdkOneBucket implements Bucket {
  private final String bucket;
  private final AmazonS3 client;
  private final WriteSettings settings;

  private SdkOneBucket(String bucket, AmazonS3 client, WriteSettings settings) {
    this.bucket = bucket;
    this.client = client;
    this.settings = settings;
  }

  /** By name, since the method is gone in Hadoop 3.4, which this is compiled against. */
  static SdkOneBucket open(S3AFileSystem files, WriteSettings settings) throws IOException {
    try {
      Object client =
          S3AFileSystem.class
              .getMethod("getAmazonS3ClientForTesting", String.class)
              .invoke(files, "repave");
      return new SdkOneBucket(files.getBucket(), (AmazonS3) client, settings);
    } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
      throw new IOException(
          "this release of Hadoop's S3A connector does not give its S3 client; Repave knows 3.3.1"
              + " and newer",
          e);
    }
  }

  /** As {@link SdkTwoBucket#findCredentials}; the list was a provider of this SDK then. */
  static void findCredentials(S3AFileSystem files) {
    try (AWSCredentialProviderList shared = files.shareCredentials("repave")) {
      AWSCredentialsProvider.class.cast(shared).getCredentials();
    }
  }

  private static <T extends AmazonWebServiceRequest> T with(
      T request, Map<String, String> headers) {
    headers.forEach(request::putCustomRequestHeader);
    return request;
  }

  @Override
  public Optional<StoredObject> read(String key, long maxBytes) throws IOException {
    GetObjectRequest get = with(new GetObjectRequest(bucket, key), settings.customerKey());
    try (S3Object object = UnusableAnswer.require(client.getObject(get), "an object");
        S3ObjectInputStream body = object.getObjectContent()) {
      String etag = UnusableAnswer.tag(object.getObjectMetadata().getETag());
      byte[] content = body.readNBytes(WholeObject.mostBytes(maxBytes));
      if (content.length > maxBytes) {
        body.abort();
        throw WholeObject.tooLarge(bucket, key, maxBytes);
      }
      return Optional.of(new StoredObject(content, etag));
    } catch (AmazonS3Exception e) {
      if (e.getStatusCode() == 404 && "NoSuchKey".equals(e.getErrorCode())) {
        return Optional.empty();
      }
      throw e;
    }
  }

  @Override
  public Optional<ListedObject> head(String key) throws IOException {
    try {
      ObjectMetadata answer =
          client.getObjectMetadata(
              with(new GetObjectMetadataRequest(bucket, key), settings.customerKey()));
      return Optional.of(
          new ListedObject(
              key,
              answer.getContentLength(),
              UnusableAnswer.tag(answer.getETag()),
              millis(answer.getLastModified())));
    } catch (AmazonS3Exception e) {
      // A HEAD has no body, so no code: an absent bucket looks the same.
      if (e.getStatusCode() == 404) {
        return Optional.empty();
      }
      throw e;
    }
  }

  @Override
  public String put(String key, Content content, Map<String, String> conditions)
      throws IOException {
    ObjectMetadata metadata = new ObjectMetadata();
    metadata.setContentLength(content.bytes());
    ContentMd5.of(content).ifPresent(metadata::setContentMD5);
    PutObjectRequest put = new PutObjectRequest(bucket, key, new ContentStream(content), metadata);
    return UnusableAnswer.tag(
        client.putObject(with(with(put, settings.starting(key)), conditions)).getETag());
  }

  @Override
  public ListPage list(String prefix, String after) throws IOException {
    ListObjectsV2Request request =
        new ListObjectsV2Request()
            .withBucketName(bucket)
            .withPrefix(prefix)
            .withStartAfter(after.isEmpty() ? null : after);
    EmptyPages empty = new EmptyPages();
    while (true) {
      ListObjectsV2Result page = client.listObjectsV2(request);
      UnusableAnswer.require(page.getBucketName(), "the bucket's name");
      if (!page.getObjectSummaries().isEmpty() || !page.isTruncated()) {
        List<ListedObject> objects = new ArrayList<>(page.getObjectSummaries().size());
        for (S3ObjectSummary each : page.getObjectSummaries()) {
          objects.add(
              new ListedObject(
                  each.getKey(),
                  each.getSize(),
                  UnusableAnswer.tag(each.getETag()),
                  millis(each.getLastModified())));
        }
        return ListPage.after(after, objects, page.isTruncated());
      }
      request.setStartAfter(null);
      request.setContinuationToken(empty.next(page.getNextContinuationToken()));
    }
  }

  @Override
  public String createUpload(String key) throws IOException {
    return UnusableAnswer.require(
        client
            .initiateMultipartUpload(
                with(new InitiateMultipartUploadRequest(bucket, key), settings.starting(key)))
            .getUploadId(),
        "an upload id");
  }

  @Override
  public String uploadPart(String key, String uploadId, int number, Content content)
      throws IOException {
    UploadPartRequest part =
        new UploadPartRequest()
            .withBucketName(bucket)
            .withKey(key)
            .withUploadId(uploadId)
            .withPartNumber(number)
            .withInputStream(new ContentStream(content))
            .withPartSize(content.bytes());
    ContentMd5.of(content).ifPresent(part::setMd5Digest);
    return UnusableAnswer.tag(client.uploadPart(with(part, settings.customerKey())).getETag());
  }

  @Override
  public void complete(PendingUpload upload) throws IOException {
    List<PartETag> parts = new ArrayList<>(upload.etags().size());
    for (String etag : upload.etags()) {
      parts.add(new PartETag(parts.size() + 1, etag));
    }
    UnusableAnswer.tag(
        client
            .completeMultipartUpload(
                with(
                    new CompleteMultipartUploadRequest(
                        bucket, upload.at().key(), upload.uploadId(), parts),
                    settings.customerKey()))
            .getETag());
  }

  @Override
  public void abort(String key, String uploadId) {
    client.abortMultipartUpload(new AbortMultipartUploadRequest(bucket, key, uploadId));
  }

  @Override
  public UploadPage listUploads(String prefix, UploadMarker after) throws IOException {
    MultipartUploadListing page =
        client.listMultipartUploads(
            new ListMultipartUploadsRequest(bucket)
                .withPrefix(prefix)
                .withKeyMarker(after.key().isEmpty() ? null : after.key())
                .withUploadIdMarker(after.uploadId().isEmpty() ? null : after.uploadId()));
    UnusableAnswer.require(page.getBucketName(), "the bucket's name");
    List<OpenUpload> uploads = new ArrayList<>(page.getMultipartUploads().size());
    for (MultipartUpload each : page.getMultipartUploads()) {
      uploads.add(new OpenUpload(each.getKey(), each.getUploadId(), millis(each.getInitiated())));
    }
    return page.isTruncated()
        ? new UploadPage(
            uploads,
            UploadMarker.next(page.getNextKeyMarker(), page.getNextUploadIdMarker()).encoded())
        : new UploadPage(uploads, "");
  }

  @Override
  public List<DeleteFailure> delete(List<String> keys) throws IOException {
    DeleteObjectsRequest request =
        new DeleteObjectsRequest(bucket)
            .withKeys(keys.stream().map(KeyVersion::new).toList())
            .withQuiet(false);
    try {
      int deleted = client.deleteObjects(request).getDeletedObjects().size();
      return DeleteAnswer.failures(bucket, keys, deleted, List.of());
    } catch (MultiObjectDeleteException e) {
      return DeleteAnswer.failures(
          bucket,
          keys,
          e.getDeletedObjects().size(),
          e.getErrors().stream()
              .map(
                  each ->
                      new DeleteAnswer.Refused(each.getKey(), each.getCode(), each.getMessage()))
              .toList());
    }
  }

  @Override
  public void delete(String key) {
    client.deleteObject(bucket, key);
  }

  private static long millis(Date date) {
    return date == null ? 0 : date.getTime();
  }

  @Override
  public Optional<ErrorAnswer> answer(Throwable failure) {
    return failure instanceof AmazonServiceException answered
        ? Optional.of(new ErrorAnswer(answered.getStatusCode(), answered.getErrorCode()))
        : Optional.empty();
  }
}

package io.repave.s3;

import com.amazonaws.AmazonServiceException;
import com.amazonaws.AmazonWebServiceRequest;
import com.amazonaws.auth.AWSCredentialsProvider;
import com.amazonaws.event.ProgressEvent;
import com.amazonaws.event.ProgressEventType;
import com.amazonaws.event.SyncProgressListener;
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
import io.repave.core.store.OpenUpload;
import io.repave.core.store.PendingUpload;
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
 * A bucket through the AWS SDK for Java 1 (Hadoop 3.3). Its requests are those of {@link
 * SdkTwoBucket}.
 */
final class SdkOneBucket implements SdkBucket {
  private final String bucket;
  private final AmazonS3 client;

  private SdkOneBucket(String bucket, AmazonS3 client) {
    this.bucket = bucket;
    this.client = client;
  }

  /** Calls the method by name, because Hadoop 3.4, which this is compiled with, has removed it. */
  static SdkOneBucket open(S3AFileSystem files) throws IOException {
    try {
      Object client =
          S3AFileSystem.class
              .getMethod("getAmazonS3ClientForTesting", String.class)
              .invoke(files, "repave");
      return new SdkOneBucket(files.getBucket(), (AmazonS3) client);
    } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
      throw S3Errors.unknownConnector(e);
    }
  }

  /** Like {@link SdkTwoBucket#findCredentials}. In Hadoop 3.3 the list is a provider of SDK 1. */
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
  public Body get(String key, Map<String, String> headers) {
    return body(client.getObject(with(new GetObjectRequest(bucket, key), headers)));
  }

  @Override
  public Body getRange(String key, long from, long to, Map<String, String> headers) {
    GetObjectRequest request = new GetObjectRequest(bucket, key).withRange(from, to);
    return body(client.getObject(with(request, headers)));
  }

  private static Body body(S3Object object) {
    if (object == null) {
      return null;
    }
    S3ObjectInputStream content = object.getObjectContent();
    return new Body(object.getObjectMetadata().getETag(), content, content::abort);
  }

  @Override
  public ObjectEntry head(String key, Map<String, String> headers) {
    ObjectMetadata response =
        client.getObjectMetadata(with(new GetObjectMetadataRequest(bucket, key), headers));
    return new ObjectEntry(
        key, response.getContentLength(), response.getETag(), millis(response.getLastModified()));
  }

  @Override
  public String put(String key, Content content, Map<String, String> headers) {
    return client.putObject(with(putRequest(key, content), headers)).getETag();
  }

  @Override
  public Written putOnCondition(String key, Content content, Map<String, String> headers) {
    RepeatNotice notice = new RepeatNotice();
    PutObjectRequest put = putRequest(key, content);
    put.setGeneralProgressListener(notice);
    try {
      String etag = client.putObject(with(put, headers)).getETag();
      return new Written(etag, notice.repeated);
    } catch (RuntimeException e) {
      throw notice.repeated ? new RepeatedRequestException(e) : e;
    }
  }

  /**
   * Whether the SDK repeated one request. It is told in the thread of the request: the SDK calls
   * other listeners in a thread of its own, perhaps after the request has failed.
   */
  private static final class RepeatNotice extends SyncProgressListener {
    private boolean repeated;

    @Override
    public void progressChanged(ProgressEvent event) {
      if (event.getEventType() == ProgressEventType.CLIENT_REQUEST_RETRY_EVENT) {
        repeated = true;
      }
    }
  }

  private PutObjectRequest putRequest(String key, Content content) {
    ObjectMetadata metadata = new ObjectMetadata();
    metadata.setContentLength(content.bytes());
    ContentMd5.of(content).ifPresent(metadata::setContentMD5);
    return new PutObjectRequest(bucket, key, new ContentStream(content), metadata);
  }

  @Override
  public ListResponse list(String prefix, String startAfter, String token) {
    ListObjectsV2Result page =
        client.listObjectsV2(
            new ListObjectsV2Request()
                .withBucketName(bucket)
                .withPrefix(prefix)
                .withStartAfter(startAfter)
                .withContinuationToken(token));
    List<ObjectEntry> objects = new ArrayList<>(page.getObjectSummaries().size());
    for (S3ObjectSummary each : page.getObjectSummaries()) {
      objects.add(
          new ObjectEntry(
              each.getKey(), each.getSize(), each.getETag(), millis(each.getLastModified())));
    }
    return new ListResponse(
        page.getBucketName(), objects, page.isTruncated(), page.getNextContinuationToken());
  }

  @Override
  public String createUpload(String key, Map<String, String> headers) {
    return client
        .initiateMultipartUpload(with(new InitiateMultipartUploadRequest(bucket, key), headers))
        .getUploadId();
  }

  @Override
  public String uploadPart(
      String key, String uploadId, int number, Content content, Map<String, String> headers) {
    UploadPartRequest part =
        new UploadPartRequest()
            .withBucketName(bucket)
            .withKey(key)
            .withUploadId(uploadId)
            .withPartNumber(number)
            .withInputStream(new ContentStream(content))
            .withPartSize(content.bytes());
    ContentMd5.of(content).ifPresent(part::setMd5Digest);
    return client.uploadPart(with(part, headers)).getETag();
  }

  @Override
  public String complete(PendingUpload upload, Map<String, String> headers) {
    List<PartETag> parts = new ArrayList<>(upload.etags().size());
    for (String etag : upload.etags()) {
      parts.add(new PartETag(parts.size() + 1, etag));
    }
    CompleteMultipartUploadRequest complete =
        new CompleteMultipartUploadRequest(bucket, upload.at().key(), upload.uploadId(), parts);
    return client.completeMultipartUpload(with(complete, headers)).getETag();
  }

  @Override
  public void abort(String key, String uploadId) {
    client.abortMultipartUpload(new AbortMultipartUploadRequest(bucket, key, uploadId));
  }

  @Override
  public UploadsResponse listUploads(String prefix, String keyMarker, String uploadIdMarker) {
    MultipartUploadListing page =
        client.listMultipartUploads(
            new ListMultipartUploadsRequest(bucket)
                .withPrefix(prefix)
                .withKeyMarker(keyMarker)
                .withUploadIdMarker(uploadIdMarker));
    List<OpenUpload> uploads = new ArrayList<>(page.getMultipartUploads().size());
    for (MultipartUpload each : page.getMultipartUploads()) {
      uploads.add(new OpenUpload(each.getKey(), each.getUploadId(), millis(each.getInitiated())));
    }
    return new UploadsResponse(
        page.getBucketName(),
        uploads,
        page.isTruncated(),
        page.getNextKeyMarker(),
        page.getNextUploadIdMarker());
  }

  @Override
  public DeleteResponse delete(List<String> keys) {
    DeleteObjectsRequest request =
        new DeleteObjectsRequest(bucket)
            .withKeys(keys.stream().map(KeyVersion::new).toList())
            .withQuiet(false);
    try {
      return new DeleteResponse(
          client.deleteObjects(request).getDeletedObjects().size(), List.of());
    } catch (MultiObjectDeleteException e) {
      return new DeleteResponse(
          e.getDeletedObjects().size(),
          e.getErrors().stream()
              .map(
                  each ->
                      new DeleteResponse.Refused(each.getKey(), each.getCode(), each.getMessage()))
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
  public Optional<ErrorResponse> errorOf(Throwable failure) {
    return failure instanceof AmazonS3Exception answered
        ? Optional.of(new ErrorResponse(answered.getStatusCode(), answered.getErrorCode()))
        : Optional.empty();
  }

  @Override
  public boolean isFromOtherService(Throwable failure) {
    return failure instanceof AmazonServiceException && !(failure instanceof AmazonS3Exception);
  }
}

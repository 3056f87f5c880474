package io.repave.s3;

import io.repave.core.store.Content;
import io.repave.core.store.DeleteFailure;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.OpenUpload;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoredObject;
import io.repave.core.store.UploadPage;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.s3a.AWSCredentialProviderList;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.EncodingType;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * A bucket through the AWS SDK for Java 2, Hadoop 3.4 and newer. Conditions and settings go as
 * headers: the SDK of Hadoop 3.4.1 (2.24) has no methods for the conditions yet.
 */
final class SdkTwoBucket implements Bucket {
  private final String bucket;
  private final S3Client client;
  private final WriteSettings settings;

  private SdkTwoBucket(String bucket, S3Client client, WriteSettings settings) {
    this.bucket = bucket;
    this.client = client;
    this.settings = settings;
  }

  static SdkTwoBucket open(S3AFileSystem files, WriteSettings settings) {
    return new SdkTwoBucket(
        files.getBucket(), files.getS3AInternals().getAmazonS3Client("repave"), settings);
  }

  /** Throws what S3A's providers throw when they have none. */
  static void findCredentials(S3AFileSystem files) {
    try (AWSCredentialProviderList shared = files.shareCredentials("repave")) {
      shared.resolveCredentials();
    }
  }

  private static AwsRequestOverrideConfiguration.Builder headers(Map<String, String> headers) {
    AwsRequestOverrideConfiguration.Builder builder = AwsRequestOverrideConfiguration.builder();
    headers.forEach(builder::putHeader);
    return builder;
  }

  /** Not the SDK's own {@code fromByteBuffer}: that copies every part. */
  private static RequestBody body(Content content) {
    return RequestBody.fromContentProvider(
        () -> new ContentStream(content), content.bytes(), "application/octet-stream");
  }

  @Override
  public Optional<StoredObject> read(String key, long maxBytes) throws IOException {
    try (ResponseInputStream<GetObjectResponse> body =
        client.getObject(
            get ->
                get.bucket(bucket)
                    .key(key)
                    .overrideConfiguration(headers(settings.customerKey()).build()))) {
      String etag = UnusableAnswer.tag(body.response().eTag());
      byte[] content = body.readNBytes(WholeObject.mostBytes(maxBytes));
      if (content.length > maxBytes) {
        body.abort();
        throw WholeObject.tooLarge(bucket, key, maxBytes);
      }
      return Optional.of(new StoredObject(content, etag));
    } catch (NoSuchKeyException e) {
      return Optional.empty();
    }
  }

  @Override
  public Optional<ListedObject> head(String key) throws IOException {
    try {
      HeadObjectResponse answer =
          client.headObject(
              head ->
                  head.bucket(bucket)
                      .key(key)
                      .overrideConfiguration(headers(settings.customerKey()).build()));
      return Optional.of(
          new ListedObject(
              key,
              UnusableAnswer.require(answer.contentLength(), "a length"),
              UnusableAnswer.tag(answer.eTag()),
              millis(answer.lastModified())));
    } catch (S3Exception e) {
      // A HEAD has no body, so no code: an absent bucket looks the same.
      if (e.statusCode() == 404) {
        return Optional.empty();
      }
      throw e;
    }
  }

  @Override
  public String put(String key, Content content, Map<String, String> conditions)
      throws IOException {
    AwsRequestOverrideConfiguration.Builder headers = headers(settings.starting(key));
    conditions.forEach(headers::putHeader);
    return UnusableAnswer.tag(
        client
            .putObject(
                put ->
                    put.bucket(bucket)
                        .key(key)
                        .contentMD5(ContentMd5.of(content).orElse(null))
                        .overrideConfiguration(headers.build()),
                body(content))
            .eTag());
  }

  @Override
  public ListPage list(String prefix, String after) throws IOException {
    EmptyPages empty = new EmptyPages();
    String token = null;
    while (true) {
      ListObjectsV2Response page = page(prefix, after, token);
      // An error inside a 200 must not read as an empty folder.
      UnusableAnswer.require(page.name(), "the bucket's name");
      boolean more = Boolean.TRUE.equals(page.isTruncated());
      if (!page.contents().isEmpty() || !more) {
        List<ListedObject> objects = new ArrayList<>(page.contents().size());
        for (S3Object each : page.contents()) {
          objects.add(
              new ListedObject(
                  each.key(),
                  UnusableAnswer.require(each.size(), "a size"),
                  UnusableAnswer.tag(each.eTag()),
                  millis(each.lastModified())));
        }
        return ListPage.after(after, objects, more);
      }
      token = empty.next(page.nextContinuationToken());
    }
  }

  private ListObjectsV2Response page(String prefix, String after, String token) {
    return client.listObjectsV2(
        list ->
            list.bucket(bucket)
                .prefix(prefix)
                .startAfter(after.isEmpty() || token != null ? null : after)
                .continuationToken(token)
                .encodingType(EncodingType.URL));
  }

  @Override
  public String createUpload(String key) throws IOException {
    return UnusableAnswer.require(
        client
            .createMultipartUpload(
                create ->
                    create
                        .bucket(bucket)
                        .key(key)
                        .overrideConfiguration(headers(settings.starting(key)).build()))
            .uploadId(),
        "an upload id");
  }

  @Override
  public String uploadPart(String key, String uploadId, int number, Content content)
      throws IOException {
    Duration timeout = Duration.ofMillis(settings.partTimeoutMillis());
    AwsRequestOverrideConfiguration configuration =
        headers(settings.customerKey())
            .apiCallTimeout(timeout)
            .apiCallAttemptTimeout(timeout)
            .build();
    return UnusableAnswer.tag(
        client
            .uploadPart(
                part ->
                    part.bucket(bucket)
                        .key(key)
                        .uploadId(uploadId)
                        .partNumber(number)
                        .contentMD5(ContentMd5.of(content).orElse(null))
                        .overrideConfiguration(configuration),
                body(content))
            .eTag());
  }

  @Override
  public void complete(PendingUpload upload) throws IOException {
    List<CompletedPart> parts = new ArrayList<>(upload.etags().size());
    for (String etag : upload.etags()) {
      parts.add(
          CompletedPart.builder().partNumber(parts.size() + 1).eTag("\"" + etag + "\"").build());
    }
    UnusableAnswer.tag(
        client
            .completeMultipartUpload(
                complete ->
                    complete
                        .bucket(bucket)
                        .key(upload.at().key())
                        .uploadId(upload.uploadId())
                        .multipartUpload(list -> list.parts(parts))
                        .overrideConfiguration(headers(settings.customerKey()).build()))
            .eTag());
  }

  @Override
  public void abort(String key, String uploadId) {
    client.abortMultipartUpload(abort -> abort.bucket(bucket).key(key).uploadId(uploadId));
  }

  @Override
  public UploadPage listUploads(String prefix, UploadMarker after) throws IOException {
    ListMultipartUploadsResponse page =
        client.listMultipartUploads(
            list ->
                list.bucket(bucket)
                    .prefix(prefix)
                    .keyMarker(after.key().isEmpty() ? null : after.key())
                    .uploadIdMarker(after.uploadId().isEmpty() ? null : after.uploadId())
                    .encodingType(EncodingType.URL));
    UnusableAnswer.require(page.bucket(), "the bucket's name");
    List<OpenUpload> uploads = new ArrayList<>(page.uploads().size());
    for (MultipartUpload each : page.uploads()) {
      uploads.add(new OpenUpload(each.key(), each.uploadId(), millis(each.initiated())));
    }
    return Boolean.TRUE.equals(page.isTruncated())
        ? new UploadPage(
            uploads, UploadMarker.next(page.nextKeyMarker(), page.nextUploadIdMarker()).encoded())
        : new UploadPage(uploads, "");
  }

  @Override
  public List<DeleteFailure> delete(List<String> keys) throws IOException {
    List<ObjectIdentifier> objects =
        keys.stream().map(key -> ObjectIdentifier.builder().key(key).build()).toList();
    DeleteObjectsResponse answer =
        client.deleteObjects(
            delete -> delete.bucket(bucket).delete(list -> list.objects(objects).quiet(false)));
    return DeleteAnswer.failures(
        bucket,
        keys,
        answer.deleted().size(),
        answer.errors().stream()
            .map(each -> new DeleteAnswer.Refused(each.key(), each.code(), each.message()))
            .toList());
  }

  @Override
  public void delete(String key) {
    client.deleteObject(delete -> delete.bucket(bucket).key(key));
  }

  private static long millis(Instant instant) {
    return instant == null ? 0 : instant.toEpochMilli();
  }

  @Override
  public Optional<ErrorAnswer> answer(Throwable failure) {
    if (!(failure instanceof AwsServiceException answered)) {
      return Optional.empty();
    }
    String code = answered.awsErrorDetails() == null ? "" : answered.awsErrorDetails().errorCode();
    return Optional.of(new ErrorAnswer(answered.statusCode(), code));
  }
}

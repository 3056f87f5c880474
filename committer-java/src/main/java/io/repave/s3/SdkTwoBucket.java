package io.repave.s3;

import static java.time.format.DateTimeFormatter.RFC_1123_DATE_TIME;

import io.repave.core.store.Content;
import io.repave.core.store.OpenUpload;
import io.repave.core.store.PendingUpload;
import java.time.DateTimeException;
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
import software.amazon.awssdk.core.metrics.CoreMetric;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.HttpMetric;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.metrics.MetricCollection;
import software.amazon.awssdk.metrics.MetricPublisher;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.EncodingType;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * A bucket through the AWS SDK for Java 2, Hadoop 3.4 and newer. Conditions and settings go as
 * headers: the SDK of Hadoop 3.4.1 (2.24) has no methods for the conditions yet.
 */
final class SdkTwoBucket implements SdkBucket {
  /** Records and small files are sent within the client's own time-out, also on a slow line. */
  private static final long SMALL_BYTES = 1 << 20;

  private final String bucket;
  private final S3Client client;
  private final Duration partTimeout;

  private SdkTwoBucket(String bucket, S3Client client, Duration partTimeout) {
    this.bucket = bucket;
    this.client = client;
    this.partTimeout = partTimeout;
  }

  static SdkTwoBucket open(S3AFileSystem files, Duration partTimeout) {
    return new SdkTwoBucket(
        files.getBucket(), files.getS3AInternals().getAmazonS3Client("repave"), partTimeout);
  }

  /** Throws the exception of S3A's providers if they have no credentials. */
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

  /**
   * The same with the time that a part may take, which a file of one part may take too. For zero,
   * S3A keeps the client's own time-out, and the SDK refuses it.
   */
  private AwsRequestOverrideConfiguration.Builder partHeaders(Map<String, String> headers) {
    AwsRequestOverrideConfiguration.Builder builder = headers(headers);
    if (partTimeout.compareTo(Duration.ZERO) > 0) {
      builder.apiCallTimeout(partTimeout).apiCallAttemptTimeout(partTimeout);
    }
    return builder;
  }

  /** Does not use the SDK's {@code fromByteBuffer}, which copies every part. */
  private static RequestBody body(Content content) {
    return RequestBody.fromContentProvider(
        () -> new ContentStream(content), content.bytes(), "application/octet-stream");
  }

  @Override
  public Body get(String key, Map<String, String> headers) {
    ResponseInputStream<GetObjectResponse> content =
        client.getObject(
            get -> get.bucket(bucket).key(key).overrideConfiguration(headers(headers).build()));
    return new Body(content.response().eTag(), content, content::abort);
  }

  @Override
  public Body getRange(String key, long from, long to, Map<String, String> headers) {
    ResponseInputStream<GetObjectResponse> content =
        client.getObject(
            get ->
                get.bucket(bucket)
                    .key(key)
                    .range("bytes=" + from + "-" + to)
                    .overrideConfiguration(headers(headers).build()));
    return new Body(content.response().eTag(), content, content::abort);
  }

  @Override
  public ObjectEntry head(String key, Map<String, String> headers) {
    HeadObjectResponse response =
        client.headObject(
            head -> head.bucket(bucket).key(key).overrideConfiguration(headers(headers).build()));
    return new ObjectEntry(
        key,
        response.contentLength(),
        response.eTag(),
        millis(response.lastModified()),
        sentMillis(response.sdkHttpResponse()));
  }

  /** When the store sent a response, by its own clock; 0 if it does not say. */
  private static long sentMillis(SdkHttpResponse response) {
    String date = response.firstMatchingHeader("Date").orElse("");
    try {
      return RFC_1123_DATE_TIME.parse(date, Instant::from).toEpochMilli();
    } catch (DateTimeException e) {
      return 0;
    }
  }

  @Override
  public String put(String key, Content content, Map<String, String> headers) {
    boolean isSmall = content.bytes() <= SMALL_BYTES;
    return put(key, content, (isSmall ? headers(headers) : partHeaders(headers)).build());
  }

  @Override
  public Written putOnCondition(String key, Content content, Map<String, String> headers) {
    RepeatCount repeats = new RepeatCount();
    try {
      String etag = put(key, content, headers(headers).addMetricPublisher(repeats).build());
      return new Written(etag, !repeats.isZero());
    } catch (RuntimeException e) {
      throw repeats.isZero() ? e : new RepeatedRequestException(e);
    }
  }

  private String put(String key, Content content, AwsRequestOverrideConfiguration configuration) {
    return client
        .putObject(
            put ->
                put.bucket(bucket)
                    .key(key)
                    .contentMD5(ContentMd5.of(content).orElse(null))
                    .overrideConfiguration(configuration),
            body(content))
        .eTag();
  }

  /**
   * Counts how often the SDK repeated one request whose earlier try may be applied. It is told
   * before the request returns.
   */
  private static final class RepeatCount implements MetricPublisher {
    private volatile int repeats;

    boolean isZero() {
      return repeats == 0;
    }

    @Override
    public void publish(MetricCollection metrics) {
      metrics
          .metricValues(CoreMetric.RETRY_COUNT)
          .forEach(count -> repeats = count - unapplied(metrics, count));
    }

    private static int unapplied(MetricCollection metrics, int earlier) {
      return (int)
          metrics
              .childrenWithName("ApiCallAttempt")
              .limit(earlier)
              .flatMap(each -> each.metricValues(HttpMetric.HTTP_STATUS_CODE).stream())
              .filter(status -> status == ErrorResponse.TOO_MANY)
              .count();
    }

    @Override
    public void close() {
      // It holds nothing.
    }
  }

  @Override
  public ListResponse list(String prefix, String startAfter, String token) {
    ListObjectsV2Response page =
        client.listObjectsV2(
            list ->
                list.bucket(bucket)
                    .prefix(prefix)
                    .startAfter(startAfter)
                    .continuationToken(token)
                    .encodingType(EncodingType.URL));
    List<ObjectEntry> objects = new ArrayList<>(page.contents().size());
    for (S3Object each : page.contents()) {
      objects.add(
          new ObjectEntry(each.key(), each.size(), each.eTag(), millis(each.lastModified())));
    }
    return new ListResponse(
        page.name(),
        objects,
        Boolean.TRUE.equals(page.isTruncated()),
        page.nextContinuationToken());
  }

  @Override
  public String createUpload(String key, Map<String, String> headers) {
    return client
        .createMultipartUpload(
            create ->
                create.bucket(bucket).key(key).overrideConfiguration(headers(headers).build()))
        .uploadId();
  }

  @Override
  public String uploadPart(
      String key, String uploadId, int number, Content content, Map<String, String> headers) {
    AwsRequestOverrideConfiguration configuration = partHeaders(headers).build();
    return client
        .uploadPart(
            part ->
                part.bucket(bucket)
                    .key(key)
                    .uploadId(uploadId)
                    .partNumber(number)
                    .contentMD5(ContentMd5.of(content).orElse(null))
                    .overrideConfiguration(configuration),
            body(content))
        .eTag();
  }

  @Override
  public String complete(PendingUpload upload, Map<String, String> headers) {
    List<CompletedPart> parts = new ArrayList<>(upload.etags().size());
    for (String etag : upload.etags()) {
      parts.add(
          CompletedPart.builder().partNumber(parts.size() + 1).eTag("\"" + etag + "\"").build());
    }
    return client
        .completeMultipartUpload(
            complete ->
                complete
                    .bucket(bucket)
                    .key(upload.at().key())
                    .uploadId(upload.uploadId())
                    .multipartUpload(list -> list.parts(parts))
                    .overrideConfiguration(headers(headers).build()))
        .eTag();
  }

  @Override
  public void abort(String key, String uploadId) {
    client.abortMultipartUpload(abort -> abort.bucket(bucket).key(key).uploadId(uploadId));
  }

  @Override
  public UploadsResponse listUploads(String prefix, String keyMarker, String uploadIdMarker) {
    ListMultipartUploadsResponse page =
        client.listMultipartUploads(
            list ->
                list.bucket(bucket)
                    .prefix(prefix)
                    .keyMarker(keyMarker)
                    .uploadIdMarker(uploadIdMarker)
                    .encodingType(EncodingType.URL));
    List<OpenUpload> uploads = new ArrayList<>(page.uploads().size());
    for (MultipartUpload each : page.uploads()) {
      uploads.add(new OpenUpload(each.key(), each.uploadId(), millis(each.initiated())));
    }
    return new UploadsResponse(
        page.bucket(),
        uploads,
        Boolean.TRUE.equals(page.isTruncated()),
        page.nextKeyMarker(),
        page.nextUploadIdMarker());
  }

  @Override
  public DeleteResponse delete(List<String> keys) {
    List<ObjectIdentifier> objects =
        keys.stream().map(key -> ObjectIdentifier.builder().key(key).build()).toList();
    DeleteObjectsResponse response =
        client.deleteObjects(
            delete -> delete.bucket(bucket).delete(list -> list.objects(objects).quiet(false)));
    return new DeleteResponse(
        response.deleted().size(),
        response.errors().stream()
            .map(each -> new DeleteResponse.Refused(each.key(), each.code(), each.message()))
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
  public Optional<ErrorResponse> errorOf(Throwable failure) {
    if (!(failure instanceof S3Exception answered)) {
      return Optional.empty();
    }
    String code = answered.awsErrorDetails() == null ? "" : answered.awsErrorDetails().errorCode();
    return Optional.of(new ErrorResponse(answered.statusCode(), code));
  }

  @Override
  public boolean isFromOtherService(Throwable failure) {
    return failure instanceof AwsServiceException && !(failure instanceof S3Exception);
  }
}

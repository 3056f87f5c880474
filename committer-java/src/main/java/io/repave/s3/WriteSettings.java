package io.repave.s3;

import io.repave.core.record.RecordNames;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.apache.hadoop.fs.s3a.auth.delegation.EncryptionSecrets;

/**
 * The HTTP headers that the user configured for objects of a file system. The connector's client
 * adds credentials, but not these headers.
 *
 * @param object for requests that start an object: encryption, access list
 * @param data in addition, for requests that start a data file, but not for records
 * @param customerKey for requests that send or read content, and for Complete, where a bucket's
 *     policy may require it: SSE-C's key, otherwise nothing
 */
record WriteSettings(
    Map<String, String> object,
    Map<String, String> data,
    Map<String, String> customerKey,
    long partTimeoutMillis) {
  private static final String SSE = "x-amz-server-side-encryption";
  private static final long PART_TIMEOUT_MILLIS = TimeUnit.MINUTES.toMillis(15);

  static WriteSettings of(S3AFileSystem files) throws IOException {
    Configuration conf = files.getConf();
    EncryptionSecrets secrets = files.getEncryptionSecrets();
    // By name: DSSE_KMS is missing in Hadoop 3.3.
    String method = secrets.getEncryptionMethod().name();
    Map<String, String> customerKey =
        "SSE_C".equals(method) ? customerKey(secrets.getEncryptionKey()) : Map.of();
    Map<String, String> object = new LinkedHashMap<>(customerKey);
    object.putAll(encryption(method, secrets.getEncryptionKey(), encryptionContext(secrets)));
    addIfSet(object, "x-amz-acl", cannedAcl(conf.getTrimmed("fs.s3a.acl.default", "")));
    long timeoutMillis =
        conf.getTimeDuration(
            "fs.s3a.connection.part.upload.timeout", PART_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    return new WriteSettings(Map.copyOf(object), DataHeaders.of(conf), customerKey, timeoutMillis);
  }

  /** The headers of the request that starts this object. */
  Map<String, String> starting(String key) {
    if (data.isEmpty() || isRecord(key)) {
      return object;
    }
    Map<String, String> headers = new LinkedHashMap<>(object);
    headers.putAll(data);
    return headers;
  }

  private static boolean isRecord(String key) {
    return ("/" + key).contains("/" + RecordNames.FOLDER + "/");
  }

  /** The headers of encryption by the server. */
  static Map<String, String> encryption(String method, String key, String context)
      throws IOException {
    Map<String, String> headers = new LinkedHashMap<>();
    switch (method) {
      case "NONE", "SSE_C" -> {}
      case "SSE_S3" -> headers.put(SSE, "AES256");
      case "SSE_KMS", "DSSE_KMS" -> {
        headers.put(SSE, "SSE_KMS".equals(method) ? "aws:kms" : "aws:kms:dsse");
        addIfSet(headers, SSE + "-aws-kms-key-id", key);
        addIfSet(headers, SSE + "-context", context);
      }
      default -> throw S3Errors.clientSideEncryption(method);
    }
    return headers;
  }

  private static Map<String, String> customerKey(String base64) throws IOException {
    try {
      byte[] digest = MessageDigest.getInstance("MD5").digest(Base64.getDecoder().decode(base64));
      return Map.of(
          SSE + "-customer-algorithm",
          "AES256",
          SSE + "-customer-key",
          base64,
          SSE + "-customer-key-MD5",
          Base64.getEncoder().encodeToString(digest));
    } catch (NoSuchAlgorithmException | IllegalArgumentException e) {
      throw S3Errors.customerKeyNotBase64();
    }
  }

  /** Base64, from Hadoop 3.5 on. Older releases have neither the method nor the setting. */
  private static String encryptionContext(EncryptionSecrets secrets) throws IOException {
    try {
      return (String) EncryptionSecrets.class.getMethod("getEncryptionContext").invoke(secrets);
    } catch (NoSuchMethodException e) {
      return "";
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw S3Errors.unreadableEncryptionContext(e);
    }
  }

  /** S3A uses the SDK's constants (BucketOwnerFullControl), S3 names with dashes. */
  static String cannedAcl(String name) {
    return name.replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
  }

  private static void addIfSet(Map<String, String> headers, String name, String value) {
    if (value != null && !value.isEmpty()) {
      headers.put(name, value);
    }
  }

  /** Shows names only, because a value may be SSE-C's key. */
  @Override
  public String toString() {
    return "WriteSettings" + object.keySet() + data.keySet();
  }
}

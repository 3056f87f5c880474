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
 * What the user configured about the objects that a file system writes, as HTTP headers: the
 * connector's client adds credentials and the like by itself, but not these.
 *
 * @param object on the calls that start an object: encryption, access list
 * @param data on those that start an object with rows, beside the former, not on records
 * @param customerKey on every call that carries or reads content, and on Complete, where a bucket's
 *     policy may ask for it: SSE-C's key, otherwise nothing
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

  /** The headers of the call that starts this object. */
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
      default ->
          throw new IOException(
              "fs.s3a.encryption.algorithm is "
                  + method
                  + ", and an upload encrypted by the client cannot be completed by another"
                  + " process. Use SSE-S3, SSE-KMS, DSSE-KMS or SSE-C for Repave's tables.");
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
      // Not as the cause: its message quotes the key.
      throw new IOException("fs.s3a.encryption.key is not Base64, as SSE-C needs it");
    }
  }

  /** Hadoop 3.5 has it (Base64 already); older releases have neither the method nor the setting. */
  private static String encryptionContext(EncryptionSecrets secrets) throws IOException {
    try {
      return (String) EncryptionSecrets.class.getMethod("getEncryptionContext").invoke(secrets);
    } catch (NoSuchMethodException e) {
      return "";
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IOException("fs.s3a.encryption.context cannot be read", e);
    }
  }

  /** S3A's names are the SDK's constants (BucketOwnerFullControl), S3's are dashed. */
  static String cannedAcl(String name) {
    return name.replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
  }

  private static void addIfSet(Map<String, String> headers, String name, String value) {
    if (value != null && !value.isEmpty()) {
      headers.put(name, value);
    }
  }

  /** Names only: a value may be SSE-C's key. */
  @Override
  public String toString() {
    return "WriteSettings" + object.keySet() + data.keySet();
  }
}
